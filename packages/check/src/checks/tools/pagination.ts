import type { Json } from 'toolwire'
import type { Attempt } from '../../attempt.js'
import { checksOf } from '../../check.js'
import type { Received } from '../../connection/connection.js'
import { jsonOf } from '../../json.js'
import { every, perRequest } from '../../revisions.js'
import { enforced, enforcedIf, enforcedUnlessAny, missingBecause, notTried, type Verdict } from '../../verdict.js'
import { refusedAnyhow, refusedWith } from '../refusals.js'

export const paginationChecks = checksOf({ level: 'SHOULD', revisions: every, page: 'server/utilities/pagination' })({
  'page-unknown-cursor': {
    sentence: 'An unknown cursor is refused with the error -32602.',
    how: 'Lists the tools from an invented cursor',
    run: (attempt) => refusedCursor(attempt, 'made-up-by-a-check', (heard) => refusedWith(heard, -32602)),
  },
  'page-cursor-kind': {
    sentence: 'A cursor is a string; any other value is refused.',
    how: 'Lists the tools from the cursor 7',
    run: (attempt) => refusedCursor(attempt, 7, refusedAnyhow),
  },
  'page-next-cursor': {
    needs: 'tools',
    level: 'MUST',
    sentence: 'nextCursor is a string or absent.',
    how: 'Reads each page of the list of tools',
    run: async (attempt) => {
      const faults = (await attempt.pages()).filter(
        ({ result: { nextCursor } }) => nextCursor !== undefined && typeof nextCursor !== 'string',
      )
      return enforcedUnlessAny(
        faults,
        ({ result }) => `nextCursor is ${jsonOf(result.nextCursor)}`,
        'Each nextCursor is a string or absent',
      )
    },
  },
  'page-end': {
    needs: 'tools',
    sentence: 'The pages come to an end.',
    how: 'Follows the cursors, up to 200 pages',
    run: async (attempt) => {
      const pages = await attempt.pages()
      const last = pages.at(-1)?.result.nextCursor
      return typeof last === 'string' && last !== ''
        ? missingBecause(`After ${pages.length} pages there is still another one`)
        : enforced(`Pages: ${pages.length}`)
    },
  },
  'page-same-scope': {
    needs: 'tools',
    level: 'MUST',
    revisions: [perRequest],
    page: 'server/utilities/caching',
    sentence: 'All pages of a list are public, or all are private.',
    how: 'Reads each page of the list of tools',
    run: async (attempt) => {
      const scopes = new Set((await attempt.pages()).map(({ result }) => result.cacheScope))
      if ((await attempt.pages()).length < 2) return notTried('There is only one page')
      return enforcedIf(scopes.size === 1, 'The scope is the same on all pages', 'The scopes differ')
    },
  },
})

async function refusedCursor(attempt: Attempt, cursor: Json, judge: (heard: Received) => Verdict): Promise<Verdict> {
  if (!attempt.probe.endsWith('/list')) return notTried('The server has no lists')
  return judge(await attempt.ask(attempt.probe, { cursor }))
}
