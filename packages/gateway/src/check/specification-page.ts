import { first, perRequest, type Revision, streamable } from './revisions.js'

type PageMoves = Readonly<Record<string, string>>

/** The first editions keep their schema apart from their pages. */
const pageMoves: ReadonlyMap<Revision, PageMoves> = new Map<Revision, PageMoves>([
  [first, { basic: 'basic/messages', schema: 'server/tools' }],
  [streamable, { schema: 'server/tools' }],
  [
    perRequest,
    { 'basic/utilities/progress': 'basic/patterns/progress', 'basic/utilities/cancellation': 'basic/patterns/cancellation' },
  ],
])

/** Where an edition has the page that a row names. */
export const specificationPage = (edition: Revision, page: string): string =>
  `${edition.version}/${pageMoves.get(edition)?.[page] ?? page}`
