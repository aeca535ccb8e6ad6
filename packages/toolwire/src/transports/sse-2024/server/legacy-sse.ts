// The two endpoints of revision 2024-11-05: a stream of events that begins with the address for messages.
// spec 2024-11-05, basic/transports#http-with-sse
import type { ParsedMessage } from '../../../jsonrpc/read-message.js'
import type { Application } from '../../../peer/application.js'
import { otherReplicaOf, withReplica } from '../../../peer/replica-ids.js'
import type { Caller } from '../../../tools/caller.js'
import { answerText } from '../../batch-answers.js'
import { type DuplexChannel, duplexChannel } from '../../duplex-channel.js'
import { checkAcceptsEvents } from '../../http/server/check-media.js'
import type { HttpExchange } from '../../http/server/http-exchange.js'
import { refuse, refuseInvalid } from '../../http/server/http-refusal.js'
import { forwardedRequest } from '../../http/server/replicas.js'
import { type EventStream, eventStream, type StreamRules } from '../../http/server/streams/event-stream.js'
import type { StreamLimit } from '../../http/server/streams/stream-limit.js'

const streamPath = '/sse'
const messagePath = '/messages'
type OpenStream = { readonly channel: DuplexChannel; readonly events: EventStream; readonly callerId: string }

export type LegacySse = ReturnType<typeof legacySse>

export function legacySse(app: Application, rules: StreamRules, takeStream: StreamLimit) {
  const open = new Map<string, OpenStream>()

  async function forward(exchange: HttpExchange, message: ParsedMessage, owner: string): Promise<void> {
    const request = { ...forwardedRequest(exchange, message), isAnsweredOnStream: true }
    if (!(await rules.replicas?.forward(request, owner))) unknownSession(exchange)
  }

  return {
    isStream: (exchange: HttpExchange): boolean => exchange.path.endsWith(streamPath),
    isMessage: (exchange: HttpExchange): boolean => exchange.path.endsWith(messagePath),

    /** Opens the stream for all messages to the client. */
    open(exchange: HttpExchange, caller: Caller) {
      // Newer clients try a POST first, and only if it fails do they look for the stream.
      // spec 2025-11-25, basic/transports#backwards-compatibility
      if (exchange.method !== 'GET')
        return refuse(exchange, { status: 405, message: 'This address is a stream of events', headers: { allow: 'GET' } })
      const refused = checkAcceptsEvents(exchange)
      if (refused) return refuse(exchange, refused)
      const release = takeStream(caller)
      if (typeof release !== 'function') return refuse(exchange, release)
      const session = withReplica(rules.replica, crypto.randomUUID())
      const data = `${exchange.path.slice(0, -streamPath.length)}${messagePath}?session=${session}`
      const events = eventStream(exchange, rules, { first: { event: 'endpoint', data }, expiresAt: caller.expiresAt })
      const channel = duplexChannel(app, caller, (body) => events.sendEvent({ event: 'message', data: answerText({ body }) }))
      open.set(session, { channel, events, callerId: caller.id })
      events.onClose(() => {
        release()
        open.delete(session)
        channel.leave()
      })
    },

    /** Takes a message; its answer goes to the stream. A promise settles after that. */
    take(exchange: HttpExchange, message: ParsedMessage, caller: Caller): void | Promise<void> {
      const session = new URLSearchParams(exchange.query).get('session') ?? ''
      const stream = open.get(session)
      if (stream?.callerId !== caller.id) {
        const owner = exchange.forwarded ? undefined : otherReplicaOf(session, rules.replica)
        return owner === undefined ? unknownSession(exchange) : forward(exchange, message, owner)
      }
      if (message.kind === 'invalid') return refuseInvalid(exchange, message)
      exchange.respond(202, {})
      return stream.channel.takeParsed(message, { caller, hold: exchange.hold })
    },

    close(): void {
      for (const { events } of [...open.values()]) events.end()
    },
  }
}

const unknownSession = (exchange: HttpExchange): void =>
  refuse(exchange, { status: 404, message: 'There is no such session; open the stream first' })
