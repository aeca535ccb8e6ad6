import { checksOf } from '../../check.js'
import { every, perRequest } from '../../revisions.js'
import { enforced, enforcedIf, enforcedUnlessAny, missingBecause, notTried } from '../../verdict.js'
import { refusedAnyhow, refusedWith } from '../refusals.js'

export const paginationChecks = checksOf({ level: 'SHOULD', revisions: every, page: 'server/utilities/pagination' })({
  'page-unknown-cursor': {
    sentence: 'A cursor the server has not given out is refused with the error -32602.',
    how: 'Lists the tools from a cursor made up here',
    run: async (attempt) => refusedWith(await attempt.ask('tools/list', { cursor: 'made-up-by-a-check' }), -32602),
  },
  'page-cursor-kind': {
    sentence: 'A cursor is a text; anything else is refused.',
    how: 'Lists the tools from the cursor 7',
    run: async (attempt) => refusedAnyhow(await attempt.ask('tools/list', { cursor: 7 })),
  },
  'page-next-cursor': {
    level: 'MUST',
    sentence: 'nextCursor is a text, or is not there.',
    how: 'Reads each page of the list of tools',
    run: async (attempt) => {
      const faults = (await attempt.pages()).filter(
        ({ result: { nextCursor } }) => nextCursor !== undefined && typeof nextCursor !== 'string',
      )
      return enforcedUnlessAny(faults, ({ result }) => `nextCursor is ${JSON.stringify(result.nextCursor)}`, 'It is')
    },
  },
  'page-end': {
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
  'page-same-scope': {
    level: 'MUST',
    revisions: [perRequest],
    page: 'server/utilities/caching',
    sentence: 'All pages of a list are public, or all are private.',
    how: 'Reads each page of the list of tools',
    run: async (attempt) => {
      const scopes = new Set((await attempt.pages()).map(({ result }) => result.cacheScope))
      if ((await attempt.pages()).length < 2) return notTried('There is only one page')
      return enforcedIf(scopes.size === 1, 'They are', 'They differ')
    },
  },
})
