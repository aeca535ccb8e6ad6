// What a message is: ids, kinds, codes.
import type { Json } from 'toolwire'
import type { Check } from '../../check.js'
import { every } from '../../revisions.js'
import { enforced, enforcedUnless, missingBecause, type Verdict } from '../../verdict.js'
import { describeReceived, refusedAnyhow, refusedWith, responseIn } from '../refusals.js'
import { strayResponses } from './stray-responses.js'

const page = 'basic'
const unknownMembers: readonly Json[] = [1.5, true, { a: 1 }, null]

export const envelopeChecks: readonly Check[] = [
  {
    id: 'base-id-echoed',
    level: 'MUST',
    revisions: every,
    page,
    sentence: 'A response carries the id of its request, a number as a number and a text as a text.',
    how: 'Lists the tools with the ids 7, "7" and a text of 200 characters',
    run: async (attempt) => {
      const session = await attempt.session()
      const faults: string[] = []
      for (const id of [7, '7', `${'x'.repeat(198)}é!`]) {
        const answered = await session.ask('tools/list', {}, { id })
        if (!answered.response) faults.push(`The id ${JSON.stringify(id)} did not come back: ${describeReceived(answered)}`)
      }
      return enforcedUnless(faults, 'Each id came back as it was')
    },
  },
  {
    id: 'base-answers-each',
    level: 'MUST',
    revisions: every,
    page,
    sentence: 'Requests that are under way together each get their own response.',
    how: 'Lists the tools five times at once',
    run: async (attempt) => {
      const session = await attempt.session()
      const all = await Promise.all(Array.from({ length: 5 }, () => session.ask('tools/list')))
      const lost = all.filter(({ response }) => !response)
      return lost.length === 0 ? enforced('All five were answered') : missingBecause(`${lost.length} of five got no response`)
    },
  },
  {
    id: 'base-id-kinds',
    level: 'SHOULD',
    revisions: every,
    page,
    sentence: 'An id is a text or a whole number; a request with anything else as its id is not carried out.',
    how: 'Lists the tools with the ids 1.5, true, an object and null',
    run: async (attempt) => {
      const session = await attempt.session()
      const faults: string[] = []
      for (const id of unknownMembers) {
        const message = { ...session.request('tools/list'), id }
        const heard = await session.sendRaw(JSON.stringify(message), {
          headers: session.headers(message),
          ms: Math.min(session.ms, 1_000),
        })
        const answer = responseIn(heard)
        if (answer && 'result' in answer) faults.push(`The id ${JSON.stringify(id)} was taken`)
      }
      return enforcedUnless(faults, 'None of them was carried out')
    },
  },
  {
    id: 'base-jsonrpc',
    level: 'SHOULD',
    revisions: every,
    page,
    sentence: 'Every message says "jsonrpc": "2.0"; a request that says something else is not carried out.',
    how: 'Lists the tools with "jsonrpc": "1.0"',
    run: async (attempt) => {
      const session = await attempt.session()
      const message = { ...session.request('tools/list'), jsonrpc: '1.0' }
      const heard = await session.sendRaw(JSON.stringify(message), {
        headers: session.headers(message),
        ms: Math.min(session.ms, 1_500),
      })
      const answer = responseIn(heard)
      return answer && 'result' in answer
        ? missingBecause('It was carried out')
        : enforced(`Not carried out: ${describeReceived(heard)}`)
    },
  },
  {
    id: 'base-notification-silent',
    level: 'MUST',
    revisions: every,
    page,
    sentence: 'A notification is never answered, not even with an error.',
    how: 'Sends a notification nobody knows, then a request, and looks at what comes before its response',
    run: async (attempt) => {
      const { strays, after } = await strayResponses(await attempt.session(), [['notifications/nobody-knows-this']])
      if (!after.response) return missingBecause('The request after it got no response')
      return strays.length === 0 ? enforced('Nothing came') : missingBecause(`It was answered: ${JSON.stringify(strays[0])}`)
    },
  },
  {
    id: 'base-unknown-method',
    level: 'MUST',
    revisions: every,
    page,
    sentence: 'A method the server does not have is answered with the error -32601.',
    how: 'Asks for tools/nobody-knows-this',
    run: async (attempt) => refusedWith(await (await attempt.session()).ask('tools/nobody-knows-this'), -32601),
  },
  {
    id: 'base-undeclared-capability',
    level: 'SHOULD',
    revisions: every,
    page,
    sentence: 'A method of a capability the server has not declared is answered with the error -32601.',
    how: 'Asks for the prompts or the resources, whichever is not declared',
    run: async (attempt): Promise<Verdict> => {
      const declared = await attempt.capabilities()
      const method = (['prompts', 'resources'] as const).find((name) => declared[name] === undefined)
      if (!method) return { outcome: 'not-tried', detail: 'The server declares both prompts and resources' }
      return refusedWith(await (await attempt.session()).ask(`${method}/list`), -32601)
    },
  },
  {
    id: 'base-params-shape',
    level: 'SHOULD',
    revisions: every,
    page: 'schema',
    sentence: 'Parameters of the wrong shape are refused.',
    how: 'Calls a tool whose name is the number 7',
    run: async (attempt) => refusedAnyhow(await (await attempt.session()).ask('tools/call', { name: 7, arguments: {} })),
  },
]
