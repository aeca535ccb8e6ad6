// Responses that are not messages. Row 8.
import { gzipSync } from 'node:zlib'
import { type Ask, alike, type Fault, text, type Wire } from '../fault.js'
import { answerOf } from '../player.js'

const whole = (wire: Wire, ask: Ask) => JSON.stringify(answerOf(wire, ask, text('ok')))

/** A reply over HTTP with any headers and any body. */
const reply = (headers: Record<string, string>, body: (wire: Wire, ask: Ask) => string | Uint8Array) => (wire: Wire, ask: Ask) =>
  wire.http?.response.writeHead(200, headers).end(body(wire, ask))

/** A response over HTTP that is written to the socket byte by byte, without the HTTP server. */
const rawReply = (body: (wire: Wire, ask: Ask) => string) => (wire: Wire, ask: Ask) =>
  void wire.http?.request.socket.write(body(wire, ask))

const json = { 'content-type': 'application/json' }
const refused = { fails: 'bad_response', withinMs: 500, seen: { 'call:bad': 1 } } as const

const overHttp = alike({ rows: [8], over: 'http' }, [
  { name: 'text that is no JSON', on: { bad: reply(json, () => 'not json') }, shows: refused },
  { name: 'HTML with 200', on: { bad: reply({ 'content-type': 'text/html' }, () => '<p>Log in</p>') }, shows: refused },
  { name: 'an answer as plain text', on: { bad: reply({ 'content-type': 'text/plain' }, whole) }, shows: refused },
  { name: 'an answer without a content type', on: { bad: reply({}, whole) }, shows: refused },
  {
    name: 'gzip that was not requested',
    on: { bad: reply({ ...json, 'content-encoding': 'gzip' }, (wire, ask) => gzipSync(whole(wire, ask))) },
    shows: refused,
  },
  { name: 'bytes after the JSON', on: { bad: reply(json, (wire, ask) => `${whole(wire, ask)}{}`) }, shows: refused },
  { name: 'bytes that are no UTF-8', on: { bad: reply(json, () => new Uint8Array([0x22, 0xff, 0xfe, 0x22])) }, shows: refused },
  { name: 'an empty body', on: { bad: reply(json, () => '') }, shows: refused },
  { name: 'an answer in an array', on: { bad: reply(json, (wire, ask) => `[${whole(wire, ask)}]`) }, shows: refused },
  { name: 'null', on: { bad: reply(json, () => 'null') }, shows: refused },
  { name: '202 to a request', on: { bad: ({ http }) => http?.response.writeHead(202).end() }, shows: refused },
  { name: '204 to a request', on: { bad: ({ http }) => http?.response.writeHead(204).end() }, shows: refused },
  {
    name: 'bad chunking',
    on: {
      bad: rawReply(() => 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n'),
    },
    shows: { fails: 'outcome_unknown', withinMs: 500, seen: { 'call:bad': 1 } },
  },
  {
    name: 'bytes that are not HTTP',
    on: { bad: rawReply(() => 'SSH-2.0-OpenSSH_9.6\r\n') },
    shows: { fails: 'outcome_unknown', withinMs: 500, seen: { 'call:bad': 1 } },
  },
  {
    name: 'a second reply behind the first',
    on: {
      bad: rawReply((wire, ask) => {
        const body = whole(wire, ask)
        const one = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
        return `${one}${one.replace('"ok"', '"no"')}`
      }),
    },
    shows: { gives: 'ok' },
  },
])

const anywhere: readonly Fault[] = [
  {
    name: 'events that are no messages',
    rows: [8, 14],
    on: {
      bad: (wire, ask) => {
        for (const noise of ['not json', '[]', '{}', '"x"', '{"jsonrpc":"1.0"}', '{"jsonrpc":"2.0"}']) wire.say(noise)
        wire.answer(ask, text('ok'))
      },
    },
    shows: ({ carrier }) => (carrier === 'stdio' ? { gives: 'ok', warns: /./ } : refused),
  },
]

export const garbage = [...overHttp, ...anywhere]
