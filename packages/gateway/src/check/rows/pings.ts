// Whether anybody is there.
import { handshakes } from '../editions.js'
import { isObject } from '../json.js'
import type { Row } from '../row.js'
import { resultOf } from '../talk.js'
import { enforced, missing } from '../verdict.js'
import { outcomeOf } from './refused.js'

const page = 'basic/utilities/ping'

export const pingRows: readonly Row[] = [
  {
    id: 'base-ping',
    level: 'MUST',
    editions: handshakes,
    page,
    sentence: 'A ping is answered with an empty result.',
    how: 'Sends a ping',
    run: async (trial) => {
      const answered = await (await trial.talk()).ask('ping')
      const result = resultOf(answered.response)
      if (!result) return missing(`Wanted an empty result; ${outcomeOf(answered)}`)
      return Object.keys(result).every((key) => key === '_meta')
        ? enforced('An empty result')
        : missing('The result is not empty')
    },
  },
  {
    id: 'base-ping-before-opening',
    level: 'MUST',
    editions: handshakes,
    over: 'stdio',
    page,
    sentence: 'A ping is answered even before the conversation is opened.',
    how: 'Sends a ping to a new process',
    run: async (trial) => {
      const answered = await trial.askFirst('ping')
      return isObject(answered.response?.result) ? enforced('It was answered') : missing(outcomeOf(answered))
    },
  },
]
