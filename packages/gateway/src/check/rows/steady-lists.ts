// Lists that stay the same, and say for how long.
import { since, stateless } from '../editions.js'
import { objectsIn } from '../json.js'
import type { Row } from '../row.js'
import { type Answered, resultOf } from '../talk.js'
import { enforced, missing, notTried, unless } from '../verdict.js'
import { hintFaults } from './cache-hints.js'
import { outcomeOf } from './refused.js'

const page = 'server/tools'

export const steadyListRows: readonly Row[] = [
  {
    id: 'list-order',
    level: 'SHOULD',
    editions: since(stateless),
    page,
    sentence: 'The order of the tools stays the same while the tools do.',
    how: 'Lists the tools three times',
    run: async (trial) => {
      const talk = await trial.talk()
      const orders = new Set<string>()
      for (let turn = 0; turn < 3; turn++) {
        const answered = await talk.ask('tools/list')
        if (!resultOf(answered.response)) return missing(`Wanted a list; ${outcomeOf(answered)}`)
        orders.add(JSON.stringify(namesOf(answered)))
      }
      return orders.size === 1 ? enforced('The same each time') : missing('The order changes')
    },
  },
  {
    id: 'list-same-everywhere',
    level: 'MUST',
    editions: since(stateless),
    page,
    sentence: 'The tools are the same on every connection.',
    how: 'Lists the tools on two connections',
    run: async (trial) => {
      const talks = [await trial.talk(), await trial.fresh()]
      const sets = new Set<string>()
      for (const talk of talks) {
        const answered = await talk.ask('tools/list')
        if (!resultOf(answered.response)) return missing(`Wanted a list; ${outcomeOf(answered)}`)
        sets.add(JSON.stringify(namesOf(answered).sort()))
      }
      return sets.size === 1 ? enforced('The same on both') : missing('They differ')
    },
  },
  {
    id: 'list-cache-hints',
    level: 'MUST',
    editions: since(stateless),
    page: 'server/utilities/caching',
    sentence: 'A list says for how many milliseconds it holds, and whether it is public or private.',
    how: 'Reads each page of the list of tools',
    run: async (trial) => {
      const pages = await trial.pages()
      if (pages.length === 0) return notTried('The server has no tools')
      return unless(
        pages.flatMap(({ result }) => hintFaults(result)),
        'Both are there',
      )
    },
  },
]

const namesOf = ({ response }: Answered): string[] => objectsIn(resultOf(response)?.tools).map(({ name }) => String(name))
