// Relays the response of another replica to the client.
import type { IncomingMessage } from 'node:http'
import { type types, wire } from 'toolwire/relay'

type Exchange = types.ForwardedRequest['exchange']
type Sink = ReturnType<Exchange['stream']>

const relayedHeaders = [
  ...['content-type', 'mcp-session-id', 'www-authenticate', 'retry-after', 'allow', 'cache-control', 'x-accel-buffering'],
  'accept-encoding',
]
/** A slow client is disconnected as by the other replica itself, which does not notice it behind this connection. */
const limits = wire.defaultHttpLimits

/** Resolves when the response has been relayed completely. */
export function relayResponse(response: IncomingMessage, exchange: Exchange, stallMs = limits.stallMs): Promise<void> {
  const status = response.statusCode ?? 502
  const headers = Object.fromEntries(
    relayedHeaders.flatMap((name) => {
      const value = response.headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
  const isStream = status === 200 && headers['content-type']?.startsWith('text/event-stream') === true
  if (isStream) return relayStream(response, exchange.stream(headers, ''), stallMs)
  return relayBody(response, exchange, { status, headers })
}

function relayStream(response: IncomingMessage, sink: Sink, stallMs: number): Promise<void> {
  const reading = wire.stallCheck(sink, stallMs)
  const watching = setInterval(() => {
    if (reading.isStalled(performance.now())) sink.destroy()
  }, stallMs / 3).unref()
  return new Promise((resolve) => {
    sink.onClose(() => {
      clearInterval(watching)
      response.destroy()
      resolve()
    })
    response.setEncoding('utf8')
    response.on('data', (text: string) => (sink.queued > limits.queuedBytes ? sink.destroy() : reading.write(text)))
    response.once('end', () => sink.end())
    // An incomplete stream is cut off, so that its client reconnects and resumes it.
    response.once('error', () => sink.destroy())
    response.once('close', () => (response.complete ? undefined : sink.destroy()))
  })
}

type Answered = { readonly status: number; readonly headers: Record<string, string> }

async function relayBody(response: IncomingMessage, exchange: Exchange, { status, headers }: Answered): Promise<void> {
  const pieces: Buffer[] = []
  for await (const piece of response) pieces.push(piece as Buffer)
  exchange.respond(status, headers, pieces)
}

/** Responds with an error if the other replica could not be reached, or did not respond. */
export function respondWithError(request: types.ForwardedRequest, wasAsked: boolean): void {
  const { exchange, id, holdsRequest, isAnsweredOnStream } = request
  const json = { 'content-type': 'application/json' }
  const message = holdsRequest && wasAsked ? lostMessage : unreachableMessage
  const error = { code: -32603, message }
  const shown = typeof id === 'bigint' ? String(id) : JSON.stringify(id)
  const body = `{"jsonrpc":"2.0",${id === undefined ? '' : `"id":${shown},`}"error":${JSON.stringify(error)}}`
  if (message === unreachableMessage) exchange.respond(503, { ...json, 'retry-after': '1' }, body)
  // A client that awaits the answer on its stream does not read the body of a success.
  else exchange.respond(isAnsweredOnStream ? 504 : 200, json, body)
}

const unreachableMessage = 'The replica that holds this session or call cannot be reached. Try again'
const lostMessage =
  'outcome_unknown: the replica that holds this call did not answer, so the tool may or may not have run. The request was not repeated'
