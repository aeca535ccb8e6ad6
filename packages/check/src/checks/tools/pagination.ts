// Lists in pages.

import type { Check } from '../../check.js'
import { every, perRequest } from '../../revisions.js'
import { enforced, enforcedUnless, missingBecause, notTried } from '../../verdict.js'
import { refusedAnyhow, refusedWith } from '../refusals.js'

const page = 'server/utilities/pagination'

export const paginationChecks: readonly Check[] = [
  {
    id: 'page-unknown-cursor',
    level: 'SHOULD',
    revisions: every,
    page,
    sentence: 'A cursor the server has not given out is refused with the error -32602.',
    how: 'Lists the tools from a cursor made up here',
    run: async (attempt) =>
      refusedWith(await (await attempt.session()).ask('tools/list', { cursor: 'made-up-by-a-check' }), -32602),
  },
  {
    id: 'page-cursor-kind',
    level: 'SHOULD',
    revisions: every,
    page,
    sentence: 'A cursor is a text; anything else is refused.',
    how: 'Lists the tools from the cursor 7',
    run: async (attempt) => refusedAnyhow(await (await attempt.session()).ask('tools/list', { cursor: 7 })),
  },
  {
    id: 'page-next-cursor',
    level: 'MUST',
    revisions: every,
    page,
    sentence: 'nextCursor is a text, or is not there.',
    how: 'Reads each page of the list of tools',
    run: async (attempt) => {
      const faults = (await attempt.pages()).filter(
        ({ result: { nextCursor } }) => nextCursor !== undefined && typeof nextCursor !== 'string',
      )
      return enforcedUnless(
        faults.map(({ result }) => `nextCursor is ${JSON.stringify(result.nextCursor)}`),
        'It is',
      )
    },
  },
  {
    id: 'page-end',
    level: 'SHOULD',
    revisions: every,
    page,
    sentence: 'The pages come to an end.',
    how: 'Follows the cursors, up to 200 pages',
    run: async (attempt) => {
      const pages = await attempt.pages()
      const last = pages.at(-1)?.result.nextCursor
      return typeof last === 'string' && last !== ''
        ? missingBecause(`After ${pages.length} pages there is still one more`)
        : enforced(`Pages: ${pages.length}`)
    },
  },
  {
    id: 'page-same-scope',
    level: 'MUST',
    revisions: [perRequest],
    page: 'server/utilities/caching',
    sentence: 'All pages of a list are public, or all are private.',
    how: 'Reads each page of the list of tools',
    run: async (attempt) => {
      const scopes = new Set((await attempt.pages()).map(({ result }) => result.cacheScope))
      if ((await attempt.pages()).length < 2) return notTried('There is only one page')
      return scopes.size === 1 ? enforced('They are') : missingBecause('They differ')
    },
  },
]
