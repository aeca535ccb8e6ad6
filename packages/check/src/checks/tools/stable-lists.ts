// Lists with a stable order and cache hints.

import { checksOf } from '../../check.js'
import { objectsIn, textOf } from '../../json.js'
import { perRequest, since } from '../../revisions.js'
import { type RequestOutcome, resultOf } from '../../session/session.js'
import { enforcedIf, enforcedUnless, missingBecause } from '../../verdict.js'
import { describeReceived } from '../refusals.js'
import { cacheHintFaults } from './cache-hints.js'

export const stableListChecks = checksOf({ needs: 'tools', level: 'MUST', revisions: since(perRequest), page: 'server/tools' })({
  'list-order': {
    level: 'SHOULD',
    sentence: 'The order of the tools stays the same while the tools stay the same.',
    how: 'Lists the tools three times',
    run: async (attempt) => {
      const session = await attempt.session()
      const orders = new Set<string>()
      for (let turn = 0; turn < 3; turn++) {
        const answered = await session.ask('tools/list')
        if (!resultOf(answered.response)) return missingBecause(`Expected a list; ${describeReceived(answered)}`)
        orders.add(JSON.stringify(namesOf(answered)))
      }
      return enforcedIf(orders.size === 1, 'The same each time', 'The order changes')
    },
  },
  'list-same-everywhere': {
    sentence: 'The tools are the same on every connection.',
    how: 'Lists the tools on two connections',
    run: async (attempt) => {
      const sessions = [await attempt.session(), await attempt.newSession()]
      const sets = new Set<string>()
      for (const session of sessions) {
        const answered = await session.ask('tools/list')
        if (!resultOf(answered.response)) return missingBecause(`Expected a list; ${describeReceived(answered)}`)
        sets.add(JSON.stringify(namesOf(answered).sort()))
      }
      return enforcedIf(sets.size === 1, 'The same on both', 'The tools differ')
    },
  },
  'list-cache-hints': {
    page: 'server/utilities/caching',
    sentence: 'A list has cache hints: a lifetime in milliseconds, and the scope public or private.',
    how: 'Reads each page of the list of tools',
    run: async (attempt) => {
      const pages = await attempt.pages()
      if (pages.length === 0) return missingBecause('tools/list gave no result, though tools are declared')
      return enforcedUnless(
        pages.flatMap(({ result }) => cacheHintFaults(result)),
        'Both are present',
      )
    },
  },
})

const namesOf = ({ response }: RequestOutcome): string[] => objectsIn(resultOf(response)?.tools).map(({ name }) => textOf(name))
