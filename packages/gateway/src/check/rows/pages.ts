// Lists in pages.
import { every, stateless } from '../editions.js'
import type { Row } from '../row.js'
import { enforced, missing, notTried, unless } from '../verdict.js'
import { refusedSomehow, refusedWith } from './refused.js'

const page = 'server/utilities/pagination'

export const pageRows: readonly Row[] = [
  {
    id: 'page-unknown-cursor',
    level: 'SHOULD',
    editions: every,
    page,
    sentence: 'A cursor the server has not given out is refused with the error -32602.',
    how: 'Lists the tools from a cursor made up here',
    run: async (trial) => refusedWith(await (await trial.talk()).ask('tools/list', { cursor: 'made-up-by-a-check' }), -32602),
  },
  {
    id: 'page-cursor-kind',
    level: 'SHOULD',
    editions: every,
    page,
    sentence: 'A cursor is a text; anything else is refused.',
    how: 'Lists the tools from the cursor 7',
    run: async (trial) => refusedSomehow(await (await trial.talk()).ask('tools/list', { cursor: 7 })),
  },
  {
    id: 'page-next-cursor',
    level: 'MUST',
    editions: every,
    page,
    sentence: 'nextCursor is a text, or is not there.',
    how: 'Reads each page of the list of tools',
    run: async (trial) => {
      const faults = (await trial.pages()).filter(
        ({ result: { nextCursor } }) => nextCursor !== undefined && typeof nextCursor !== 'string',
      )
      return unless(
        faults.map(({ result }) => `nextCursor is ${JSON.stringify(result.nextCursor)}`),
        'It is',
      )
    },
  },
  {
    id: 'page-end',
    level: 'SHOULD',
    editions: every,
    page,
    sentence: 'The pages come to an end.',
    how: 'Follows the cursors, up to 200 pages',
    run: async (trial) => {
      const pages = await trial.pages()
      const last = pages.at(-1)?.result.nextCursor
      return typeof last === 'string' && last !== ''
        ? missing(`After ${pages.length} pages there is still one more`)
        : enforced(`Pages: ${pages.length}`)
    },
  },
  {
    id: 'page-same-scope',
    level: 'MUST',
    editions: [stateless],
    page: 'server/utilities/caching',
    sentence: 'All pages of a list are public, or all are private.',
    how: 'Reads each page of the list of tools',
    run: async (trial) => {
      const scopes = new Set((await trial.pages()).map(({ result }) => result.cacheScope))
      if ((await trial.pages()).length < 2) return notTried('There is only one page')
      return scopes.size === 1 ? enforced('They are') : missing('They differ')
    },
  },
]
