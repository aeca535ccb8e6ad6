import { checksOf } from '../../check.js'
import { isObject } from '../../json.js'
import { handshakeRevisions } from '../../revisions.js'
import { resultOf } from '../../session/session.js'
import { enforcedIf, missingBecause } from '../../verdict.js'
import { describeReceived } from '../refusals.js'

export const pingChecks = checksOf({ level: 'MUST', revisions: handshakeRevisions, page: 'basic/utilities/ping' })({
  'base-ping': {
    sentence: 'A ping is answered with an empty result.',
    how: 'Sends a ping',
    run: async (attempt) => {
      const answered = await attempt.ask('ping')
      const result = resultOf(answered.response)
      if (!result) return missingBecause(`Expected an empty result; ${describeReceived(answered)}`)
      return enforcedIf(
        Object.keys(result).every((key) => key === '_meta'),
        'An empty result',
        'The result is not empty',
      )
    },
  },
  'base-ping-before-opening': {
    over: 'stdio',
    sentence: 'A ping is answered even before initialize.',
    how: 'Sends a ping to a new process',
    run: async (attempt) => {
      const answered = await attempt.requestFirst('ping')
      return enforcedIf(isObject(answered.response?.result), 'The ping was answered', describeReceived(answered))
    },
  },
})
