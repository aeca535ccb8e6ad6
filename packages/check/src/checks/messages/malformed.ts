// Text that is no message.

import type { JsonObject } from 'toolwire'
import type { Attempt } from '../../attempt.js'
import { checksOf } from '../../check.js'
import type { Received } from '../../connection/connection.js'
import { jsonOf } from '../../json.js'
import { between, dialects, every, first, since, structured } from '../../revisions.js'
import { errorCodeOf, type Session } from '../../session/session.js'
import { enforcedIf, missingBecause, notTried, type Verdict } from '../../verdict.js'
import { describeReceived, headerMismatch, isCarriedOut, refusedUnread, responseIn } from '../refusals.js'

export const malformedChecks = checksOf({ level: 'ADVICE', revisions: every, page: 'basic' })({
  'base-parse-error': {
    // JSON-RPC names the code, but no page says that text which is no request must be answered.
    level: 'SHOULD',
    sentence: 'Text that is not JSON is answered with the error -32700.',
    how: 'Sends an opening brace and three letters',
    run: async (attempt) => refusedUnread(await malformedMessages(await attempt.session()), -32700),
  },
  'base-invalid-request': {
    level: 'SHOULD',
    sentence: 'JSON that is not a message is answered with the error -32600.',
    how: 'Sends a request whose method is the number 7',
    run: async (attempt) => {
      const session = await attempt.session()
      const heard = await session.sendRaw('{"jsonrpc":"2.0","id":1,"method":7}', { headers: someMethod(session) })
      return refusedUnread(heard, -32600, ...headerMismatch(session))
    },
  },
  'base-unreadable-id-omitted': {
    // The schema of these revisions does not allow null here, although JSON-RPC does.
    revisions: since(dialects),
    sentence: 'An error about a message whose id could not be read has no id.',
    how: 'Sends an opening brace and three letters',
    run: (attempt) => idOfGarbage(attempt, (answer) => !('id' in answer), 'no id'),
  },
  'base-unreadable-id-null': {
    level: 'SHOULD',
    revisions: between(first, structured),
    sentence: 'An error about a message whose id could not be read has the id null, or no id over HTTP.',
    how: 'Sends an opening brace and three letters',
    run: async (attempt) => {
      const { wire } = await attempt.session()
      // spec 2025-03-26, basic/transports#sending-messages-to-the-server: over HTTP the error may have no id
      return idOfGarbage(attempt, ({ id }) => id === null || (id === undefined && wire.kind === 'http'), 'the id null')
    },
  },
  'base-utf8': {
    page: 'basic/transports',
    sentence: 'Messages are UTF-8: a message with other bytes is refused, and the session goes on.',
    how: 'Sends a request whose id contains the byte 0xFF, then lists the tools',
    run: async (attempt) => {
      const session = await attempt.session()
      const message = session.request(session.probe, {}, { id: 'a@b' })
      const bytes = Uint8Array.from(Buffer.from(JSON.stringify(message)), (byte) => (byte === 0x40 ? 0xff : byte))
      const heard = await session.sendRaw(bytes, { headers: session.headers(message), ms: shortTimeout(session) })
      return staysAlive(session, heard, ', as if the bytes were text')
    },
  },
  'base-duplicate-keys': {
    sentence: 'A message with a duplicate member is ambiguous and is refused.',
    how: 'Sends a request with two members "method"',
    run: async (attempt) => {
      const session = await attempt.session()
      const message = session.request(session.probe)
      const twice = JSON.stringify(message).replace('"method"', '"method":"tools/nobody-knows-this","method"')
      const heard = await session.sendRaw(twice, { headers: session.headers(message), ms: shortTimeout(session) })
      return staysAlive(session, heard)
    },
  },
  'stdio-blank-lines': {
    over: 'stdio',
    page: 'basic/transports',
    sentence: 'Blank lines, and lines that end in CR LF, do not disturb the session.',
    how: 'Sends two blank lines and a request that ends in CR LF',
    run: async (attempt) => {
      const session = await attempt.session()
      const message = session.request(session.probe)
      const heard = await session.sendRaw(`\n\r\n${JSON.stringify(message)}\r`, { until: (one) => one.id === message.id })
      const isAnswered = heard.messages.some((one) => one.id === message.id && 'result' in one)
      return enforcedIf(isAnswered, 'The request was answered', describeReceived(heard))
    },
  },
})

/** A timeout for messages that need no response: a server that acts on them does so soon. */
export const shortTimeout = ({ ms }: Session): number => Math.min(ms, 1_500)

/** Headers of another message. Malformed text has no headers of its own, and must not be refused for a missing header. */
const someMethod = (session: Session): Record<string, string> => session.headers({ method: session.probe })

export const malformedMessages = (session: Session): Promise<Received> =>
  session.once('garbage', () => session.sendRaw('{bad', { headers: someMethod(session) }))

async function idOfGarbage(attempt: Attempt, isRight: (answer: JsonObject) => boolean, wanted: string): Promise<Verdict> {
  const answer = responseIn(await malformedMessages(await attempt.session()))
  if (!answer || errorCodeOf(answer) === undefined) return notTried('The message was not answered with an error')
  return enforcedIf(isRight(answer), `The error has ${wanted}`, `Expected ${wanted}; the id is ${jsonOf(answer.id)}`)
}

/** Missing if the message was carried out, or if the server does not answer afterwards. */
export async function staysAlive(session: Session, heard: Received, as = ''): Promise<Verdict> {
  if (isCarriedOut(heard)) return missingBecause(`The message was carried out${as}`)
  const after = await session.ask(session.probe)
  const good = `Not carried out (${describeReceived(heard)}), and the server goes on`
  return enforcedIf(after.response, good, `The next request got no result: ${describeReceived(after)}`)
}
