// The envelope of messages: ids, kinds, codes.
import { checksOf } from '../../check.js'
import { jsonOf } from '../../json.js'
import { every } from '../../revisions.js'
import { enforced, enforcedIf, enforcedUnless, missingBecause, notTried } from '../../verdict.js'
import { describeReceived, isCarriedOut, refusedAnyhow, refusedWith } from '../refusals.js'
import { shortTimeout } from './malformed.js'
import { strayResponses } from './stray-responses.js'

export const envelopeChecks = checksOf({ level: 'MUST', revisions: every, page: 'basic' })({
  'base-id-echoed': {
    sentence: 'A response has the id of its request: a number stays a number, and a string a string.',
    how: 'Lists the tools with the ids 7, "7" and a string of 200 characters',
    run: async (attempt) => {
      const session = await attempt.session()
      const faults: string[] = []
      for (const id of [7, '7', `${'x'.repeat(198)}é!`]) {
        const answered = await session.ask(session.probe, {}, { id })
        if (!answered.response) faults.push(`The id ${jsonOf(id)} was not returned: ${describeReceived(answered)}`)
      }
      return enforcedUnless(faults, 'Each id was returned unchanged')
    },
  },
  'base-answers-each': {
    sentence: 'Concurrent requests each get their own response.',
    how: 'Lists the tools five times at once',
    run: async (attempt) => {
      const session = await attempt.session()
      const all = await Promise.all(Array.from({ length: 5 }, () => session.ask(session.probe)))
      const lost = all.filter(({ response }) => !response)
      return enforcedIf(lost.length === 0, 'All five were answered', `${lost.length} of five got no response`)
    },
  },
  'base-id-kinds': {
    level: 'SHOULD',
    sentence: 'An id is a string or an integer; a request with any other id is not carried out.',
    how: 'Lists the tools with the ids 1.5, true, an object and null',
    run: async (attempt) => {
      const session = await attempt.session()
      const faults: string[] = []
      for (const id of [1.5, true, { a: 1 }, null]) {
        const heard = await session.send({ ...session.request(session.probe), id }, { ms: Math.min(session.ms, 1_000) })
        if (isCarriedOut(heard)) faults.push(`The id ${jsonOf(id)} was accepted`)
      }
      return enforcedUnless(faults, 'No such request was carried out')
    },
  },
  'base-jsonrpc': {
    level: 'SHOULD',
    sentence: 'Every message has "jsonrpc": "2.0"; a request with another value is not carried out.',
    how: 'Lists the tools with "jsonrpc": "1.0"',
    run: async (attempt) => {
      const session = await attempt.session()
      const heard = await session.send({ ...session.request(session.probe), jsonrpc: '1.0' }, { ms: shortTimeout(session) })
      return isCarriedOut(heard)
        ? missingBecause('The request was carried out')
        : enforced(`Not carried out: ${describeReceived(heard)}`)
    },
  },
  'base-notification-silent': {
    sentence: 'A notification is never answered, not even with an error.',
    how: 'Sends an unknown notification, then a request, and reads the messages before its response',
    run: async (attempt) => {
      const { strays, after } = await strayResponses(await attempt.session(), [['notifications/nobody-knows-this']])
      if (!after.response) return missingBecause('The request after it got no response')
      return enforcedIf(strays.length === 0, 'No response came', `The notification was answered: ${jsonOf(strays[0])}`)
    },
  },
  'base-unknown-method': {
    sentence: 'An unknown method is answered with the error -32601.',
    how: 'Requests tools/nobody-knows-this',
    run: async (attempt) => refusedWith(await attempt.ask('tools/nobody-knows-this'), -32601),
  },
  'base-undeclared-capability': {
    level: 'SHOULD',
    sentence: 'A method of an undeclared capability is answered with the error -32601.',
    how: 'Lists the prompts or the resources, whichever are not declared',
    run: async (attempt) => {
      const declared = await attempt.capabilities()
      const method = (['prompts', 'resources'] as const).find((name) => declared[name] === undefined)
      if (!method) return notTried('The server declares both prompts and resources')
      return refusedWith(await attempt.ask(`${method}/list`), -32601)
    },
  },
  'base-params-shape': {
    needs: 'tools',
    level: 'SHOULD',
    page: 'schema',
    sentence: 'Parameters of the wrong shape are refused.',
    how: 'Calls a tool whose name is the number 7',
    run: async (attempt) => refusedAnyhow(await attempt.ask('tools/call', { name: 7, arguments: {} })),
  },
})
