// The endpoint as HTTP.
import { between, dialects, since, stateless, streamable, structured } from '../editions.js'
import type { Row } from '../row.js'
import type { Talk } from '../talk.js'
import { enforced, missing, notTried } from '../verdict.js'
import type { Heard } from '../wire/wire.js'
import { refusedSomehow, withStatus } from './refused.js'

const page = 'basic/transports'
const editions = since(streamable)
const sessions = between(streamable, dialects)

export const httpRows: readonly Row[] = [
  {
    id: 'http-answer-type',
    level: 'MUST',
    editions,
    over: 'http',
    page,
    sentence: 'A request is answered with JSON or with a stream of events.',
    how: 'Lists the tools',
    run: async (trial) => {
      const type = (await (await trial.talk()).ask('tools/list')).headers['content-type'] ?? ''
      return /^(application\/json|text\/event-stream)/.test(type) ? enforced(type) : missing(`The type is "${type}"`)
    },
  },
  {
    id: 'http-stream-ends',
    level: 'SHOULD',
    editions,
    over: 'http',
    page,
    sentence: 'A stream that answers a request ends after the response.',
    how: 'Looks at the streams that answer calls',
    run: async (trial) => {
      const streams = (await trial.samples()).filter(({ answered }) => isStream(answered.headers))
      if (streams.length === 0) return notTried('No answer was a stream')
      return streams.every(({ answered }) => answered.end === 'over') ? enforced('They ended') : missing('One stayed open')
    },
  },
  {
    id: 'http-notification',
    level: 'MUST',
    editions,
    over: 'http',
    page,
    sentence: 'A notification that is taken is answered with HTTP 202 and nothing else.',
    how: 'Calls off a request that never was',
    run: async (trial) => {
      const heard = await (await trial.talk()).notify('notifications/cancelled', { requestId: 'never-was' })
      if (heard.status === 202 && heard.text === '') return enforced('HTTP 202')
      return missing(`Wanted HTTP 202 without a body; came HTTP ${heard.status}`)
    },
  },
  {
    id: 'http-get',
    level: 'MUST',
    editions: sessions,
    over: 'http',
    page,
    sentence: 'GET is answered with a stream of events, or with HTTP 405.',
    how: 'Sends a GET, and hangs up',
    run: async (trial) => {
      const heard = await get(await trial.talk())
      if (heard.status === 405 || (heard.status === 200 && isStream(heard.headers))) return enforced(`HTTP ${heard.status}`)
      return missing(`Wanted a stream or HTTP 405; came ${heard.status === undefined ? 'nothing' : `HTTP ${heard.status}`}`)
    },
  },
  {
    id: 'http-content-type',
    level: 'SHOULD',
    editions,
    over: 'http',
    page,
    sentence: 'A body that is not sent as JSON is refused.',
    how: 'Lists the tools with Content-Type: text/plain',
    run: async (trial) =>
      refusedSomehow(await (await trial.talk()).ask('tools/list', {}, { headers: { 'content-type': 'text/plain' } })),
  },
  {
    id: 'http-accept',
    level: 'SHOULD',
    editions,
    over: 'http',
    page,
    sentence: 'A client that takes neither JSON nor events is refused.',
    how: 'Lists the tools with Accept: image/png',
    run: async (trial) => refusedSomehow(await (await trial.talk()).ask('tools/list', {}, { headers: { accept: 'image/png' } })),
  },
  {
    id: 'http-parse-status',
    level: 'SHOULD',
    editions,
    over: 'http',
    page,
    sentence: 'A body that is no JSON is answered with HTTP 400.',
    how: 'Posts an opening brace and three letters',
    run: async (trial) => {
      const talk = await trial.talk()
      return withStatus(
        await talk.say('{bad', { headers: talk.edition.handshake ? {} : { 'mcp-protocol-version': talk.edition.version } }),
        400,
      )
    },
  },
  {
    id: 'http-error-status',
    level: 'SHOULD',
    editions: sessions,
    over: 'http',
    page,
    sentence: 'An error of a method comes with HTTP 200: the other statuses are for the transport.',
    how: 'Calls a tool that is not there',
    run: async (trial) =>
      withStatus(await (await trial.talk()).ask('tools/call', { name: 'no-tool-has-this-name', arguments: {} }), 200),
  },
  {
    id: 'http-version',
    level: 'MUST',
    editions: between(structured, dialects),
    over: 'http',
    page,
    sentence: 'A version in MCP-Protocol-Version that is not spoken is refused with HTTP 400.',
    how: 'Lists the tools with MCP-Protocol-Version: 1.0',
    run: async (trial) =>
      withStatus(await (await trial.talk()).ask('tools/list', {}, { headers: { 'mcp-protocol-version': '1.0' } }), 400),
  },
  {
    id: 'http-unbuffered',
    level: 'SHOULD',
    editions: [stateless],
    over: 'http',
    page: 'basic/transports/streamable-http',
    sentence: 'A stream says X-Accel-Buffering: no.',
    how: 'Looks at the streams that answer calls',
    run: async (trial) => {
      const streams = (await trial.samples()).filter(({ answered }) => isStream(answered.headers))
      if (streams.length === 0) return notTried('No answer was a stream')
      return streams.every(({ answered }) => answered.headers['x-accel-buffering'] === 'no')
        ? enforced('It does')
        : missing('It does not')
    },
  },
]

const isStream = (headers: Heard['headers']): boolean => headers['content-type']?.startsWith('text/event-stream') === true
const lookMs = 700

/** A stream may stay open for as long as it likes; its head is enough. */
const get = (talk: Talk): Promise<Heard> =>
  talk.say(undefined, {
    method: 'GET',
    headers: { accept: 'text/event-stream' },
    ms: Math.min(lookMs, talk.ms),
    until: () => false,
  })
