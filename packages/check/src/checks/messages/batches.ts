// Batches, which one revision allows.
import type { JsonObject } from 'toolwire'
import { checksOf } from '../../check.js'
import type { Received } from '../../connection/connection.js'
import { allRevisions, since, structured } from '../../revisions.js'
import { isResponseMessage, type Session } from '../../session/session.js'
import { enforcedIf, enforcedUnlessAny, missingBecause, notTried } from '../../verdict.js'
import { refusedUnread } from '../refusals.js'
import { shortTimeout, staysAlive } from './malformed.js'

const how = 'Sends two pings and a notification in one array'

export const batchChecks = checksOf({ level: 'MUST', revisions: allRevisions.filter(({ batches }) => batches), page: 'basic' })({
  'batch-answered': {
    sentence: 'A batch is accepted, and each request in it gets one response.',
    how,
    run: async (attempt) => {
      const heard = await batch(await attempt.session())
      const faults = ids.filter((id) => heard.messages.filter((one) => isResponseMessage(one) && one.id === id).length !== 1)
      return enforcedUnlessAny(faults, (id) => `Request ${id} did not get one response`, 'Two requests, two responses')
    },
  },
  'batch-notifications': {
    sentence: 'A notification in a batch gets no response.',
    how,
    run: async (attempt) => {
      const heard = await batch(await attempt.session())
      const answers = heard.messages.filter(isResponseMessage)
      if (answers.length === 0) return notTried('The server did not answer the batch')
      return enforcedIf(
        answers.length <= 2,
        'The notification got no response',
        `${answers.length} responses came for two requests`,
      )
    },
  },
  'batch-empty': {
    level: 'SHOULD',
    sentence: 'An empty array is answered with the error -32600.',
    how: 'Sends []',
    run: async (attempt) => refusedUnread(await (await attempt.session()).sendRaw('[]'), -32600),
  },
  'batch-refused': {
    level: 'SHOULD',
    revisions: since(structured),
    page: 'changelog',
    sentence: 'An array of messages is not a message, so no request in it is carried out.',
    how: 'Lists the tools inside an array',
    run: async (attempt) => {
      const session = await attempt.session()
      const message = session.request(session.probe)
      const sending = { headers: session.headers(message), ms: shortTimeout(session) }
      const heard = await session.sendRaw(JSON.stringify([message]), sending)
      return heard.messages.some((one) => 'result' in one)
        ? missingBecause('The request was carried out')
        : staysAlive(session, heard)
    },
  },
})

const ids = ['batched-1', 'batched-2']

/** Sends a batch of requests and waits for all of their responses. */
function batch(session: Session): Promise<Received> {
  const left = new Set<unknown>(ids)
  const notification = { jsonrpc: '2.0', method: 'notifications/nobody-knows-this' }
  const messages = [...ids.map((id) => ({ jsonrpc: '2.0', id, method: 'ping' })), notification]
  const until = ({ id }: JsonObject) => left.delete(id) && left.size === 0
  return session.once('batch', () => session.sendRaw(JSON.stringify(messages), { until }))
}
