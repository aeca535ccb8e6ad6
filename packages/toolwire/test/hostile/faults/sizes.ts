// Messages beyond the size limits. Rows 9 and 14.
import type { Fault } from '../fault.js'
import { type Ask, text, type Wire } from '../fault.js'
import { answerOf } from '../player.js'

const much = 400 * 1024 * 1024
const head = ({ id }: Ask) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`
const tail = '"}]}}'
const tooLarge = { fails: 'limit', withinMs: 1_500, seen: { 'call:bad': 1, hangup: 1 } } as const
const stream = 'text/event-stream'

export const sizes: readonly Fault[] = [
  {
    name: 'a body of 400 MB',
    rows: [9],
    over: 'http',
    on: { bad: (wire, ask) => wire.pour(much, { head: head(ask), tail }) },
    shows: tooLarge,
  },
  {
    name: 'a body that says it has 400 MB',
    rows: [9],
    over: 'http',
    on: {
      bad: (wire, ask) => {
        wire.http?.response.writeHead(200, { 'content-type': 'application/json', 'content-length': much })
        return wire.pour(much, { head: head(ask) })
      },
    },
    shows: tooLarge,
  },
  {
    name: 'an event of 400 MB in one line',
    rows: [9],
    over: 'http',
    on: { bad: (wire, ask) => wire.pour(much, { head: `data: ${head(ask)}`, tail, type: stream }) },
    shows: tooLarge,
  },
  {
    name: 'an event of 400 MB in many lines',
    rows: [9],
    over: 'http',
    on: { bad: (wire) => wire.pour(much, { fill: `data: ${'x'.repeat(1_000)}\n`, type: stream }) },
    shows: tooLarge,
  },
  {
    name: 'a field of 400 MB without a name',
    rows: [9],
    over: 'http',
    on: { bad: (wire) => wire.pour(much, { head: ':', type: stream }) },
    shows: tooLarge,
  },
  {
    name: 'an error page of 400 MB',
    rows: [9],
    over: 'http',
    on: {
      bad: (wire) => {
        wire.http?.response.writeHead(500, { 'content-type': 'text/html' })
        return wire.pour(much)
      },
    },
    shows: { fails: 'outcome_unknown', status: 500, withinMs: 1_500, seen: { hangup: 1 } },
  },
  {
    name: 'an error of 400 MB as JSON',
    rows: [9],
    over: 'http',
    on: {
      bad: (wire, ask) => {
        wire.http?.response.writeHead(400, { 'content-type': 'application/json' })
        return wire.pour(much, { head: `{"jsonrpc":"2.0","id":${ask.id},"error":{"code":-1,"message":"`, tail: '"}}' })
      },
    },
    shows: { fails: 'outcome_unknown', status: 400, withinMs: 1_500, seen: { hangup: 1 } },
  },
  {
    name: '20 KB of headers',
    rows: [9],
    over: 'http',
    on: { bad: ({ http }) => http?.response.writeHead(200, { 'x-much': 'x'.repeat(20_000) }).end() },
    shows: { fails: 'limit', withinMs: 500 },
  },
  {
    name: 'a line of 400 MB, and then the answer',
    rows: [9, 14],
    over: 'stdio',
    on: { bad: (wire, ask) => pourThenAnswer(wire, ask, much) },
    shows: { gives: 'ok', warns: /4194304/ },
  },
  {
    name: 'a line of 40 MB, and then the answer',
    rows: [14],
    over: 'stdio',
    on: { bad: (wire, ask) => pourThenAnswer(wire, ask, much / 10) },
    shows: { gives: 'ok', warns: /4194304/ },
  },
  {
    name: 'an answer of 4 MB, which is not too much',
    rows: [9],
    on: { bad: (wire, ask) => wire.answer(ask, text('x'.repeat(4_000_000))) },
    does: async (client) => JSON.stringify(await client.call('bad')).length > 4_000_000,
    shows: { gives: true },
  },
  {
    name: '100 MB of small notifications, and then the answer',
    rows: [9],
    over: 'stdio',
    on: { bad: floodThenAnswer },
    shows: { gives: 'ok' },
  },
]

async function pourThenAnswer(wire: Wire, ask: Ask, bytes: number): Promise<void> {
  await wire.pour(bytes, { head: head(ask) })
  wire.last(answerOf(wire, ask, text('ok')))
}

async function floodThenAnswer(wire: Wire, ask: Ask): Promise<void> {
  const one = `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/nothing', params: { of: 'x'.repeat(1_000) } })}\n`
  await wire.pour(much / 4, { fill: one })
  wire.last(answerOf(wire, ask, text('ok')))
}
