// Whether anybody is there.

import type { Check } from '../../check.js'
import { isObject } from '../../json.js'
import { handshakeRevisions } from '../../revisions.js'
import { resultOf } from '../../session/session.js'
import { enforced, missingBecause } from '../../verdict.js'
import { describeReceived } from '../refusals.js'

const page = 'basic/utilities/ping'

export const pingChecks: readonly Check[] = [
  {
    id: 'base-ping',
    level: 'MUST',
    revisions: handshakeRevisions,
    page,
    sentence: 'A ping is answered with an empty result.',
    how: 'Sends a ping',
    run: async (attempt) => {
      const answered = await (await attempt.session()).ask('ping')
      const result = resultOf(answered.response)
      if (!result) return missingBecause(`Wanted an empty result; ${describeReceived(answered)}`)
      return Object.keys(result).every((key) => key === '_meta')
        ? enforced('An empty result')
        : missingBecause('The result is not empty')
    },
  },
  {
    id: 'base-ping-before-opening',
    level: 'MUST',
    revisions: handshakeRevisions,
    over: 'stdio',
    page,
    sentence: 'A ping is answered even before the conversation is opened.',
    how: 'Sends a ping to a new process',
    run: async (attempt) => {
      const answered = await attempt.requestFirst('ping')
      return isObject(answered.response?.result) ? enforced('It was answered') : missingBecause(describeReceived(answered))
    },
  },
]
