import { type Edition, first, stateless, streamable } from './editions.js'

type Moves = Readonly<Record<string, string>>

/** The first editions keep their schema apart from their pages. */
const moves: ReadonlyMap<Edition, Moves> = new Map<Edition, Moves>([
  [first, { basic: 'basic/messages', schema: 'server/tools' }],
  [streamable, { schema: 'server/tools' }],
  [
    stateless,
    { 'basic/utilities/progress': 'basic/patterns/progress', 'basic/utilities/cancellation': 'basic/patterns/cancellation' },
  ],
])

/** Where an edition has the page that a row names. */
export const pageIn = (edition: Edition, page: string): string => `${edition.version}/${moves.get(edition)?.[page] ?? page}`
