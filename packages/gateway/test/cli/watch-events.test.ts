import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { type ApiClient, apiClientOf } from '../../src/cli/api/api-client.js'
import { watchEvents } from '../../src/cli/api/watch-events.js'
import { followRecords } from '../../src/cli/audit/follow-records.js'
import { unreachableError } from '../../src/cli/command.js'
import { painter, type Terminal } from '../../src/cli/terminal/terminal.js'

// Each stream ends in the middle of an event, which is therefore not reported.
const streams = [
  '\ufeffid: 1\revent: open\rdata: {"name":"ä"}\r\r: sign of life\r\rdata\r\rid: 2\rdata: {"ne',
  'id: 2\r\nevent: call\r\ndata: {"a":\r\ndata: 2}\r\n\r\ndata: [1]\n\nid: 3',
]

it('watching accepts all valid streams in any chunks, and resumes after the last whole event', async () => {
  const resumedAfter: (string | undefined)[] = []
  const server = createServer((request, response) => {
    resumedAfter.push(request.headers['last-event-id'] as string | undefined)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const byte of Buffer.from(streams[resumedAfter.length - 1] ?? '')) response.write(Uint8Array.of(byte))
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stop = new AbortController()
  const api = apiClientOf({ options: { gateway: url }, env: { TOOLWIRE_API_KEY: 'key' }, signal: stop.signal })
  const events: unknown[] = []
  for await (const event of watchEvents(api, { signal: stop.signal })) if (events.push(event) === 3) stop.abort()
  server.close()
  expect(events).toEqual([
    { id: '1', event: 'open', data: { name: 'ä' } },
    { id: '2', event: 'call', data: { a: 2 } },
    { id: '2', event: 'message', data: {} },
  ])
  expect(resumedAfter).toEqual([undefined, '1'])
})

/** An API that answers with each of these in turn, and at last with the last one. A text is a stream that ends after it. */
function apiWith(answers: readonly (string | Error)[]) {
  const asked: (string | undefined)[] = []
  const open: ApiClient['open'] = async (_, { headers } = {}) => {
    asked.push(headers?.['last-event-id'])
    const answer = answers[Math.min(asked.length, answers.length) - 1]
    if (answer instanceof Error) throw answer
    return new Response(answer)
  }
  return { api: { open } as ApiClient, asked } // only this member is used
}

const opened = 'id: 7\nevent: open\ndata: {}\n\n'
const away = unreachableError('No gateway answers')

it('watching goes on when the gateway returns within a minute', async () => {
  const { api, asked } = apiWith([opened, ...Array(50).fill(away), 'id: 8\nevent: call\ndata: {}\n\n'])
  const stop = new AbortController()
  // The time passes with the attempts to connect.
  const now = () => asked.length * 1_000
  const events: string[] = []
  for await (const { event } of watchEvents(api, { signal: stop.signal, pauseMs: 0, now })) {
    events.push(event)
    if (event === 'call') stop.abort()
  }
  expect(events).toEqual(['open', 'call'])
  expect(asked).toEqual([undefined, ...Array(51).fill('7')])
})

it.each([
  ['does not return within a minute', [opened, away], 61],
  ['was never there', [away], 1],
])('watching ends when the gateway %s', async (_, answers, attempts) => {
  const { api, asked } = apiWith(answers)
  const now = () => asked.length * 1_000
  const watching = watchEvents(api, { signal: new AbortController().signal, pauseMs: 0, now })
  const all = (async () => {
    for await (const { event } of watching) expect(event).toBe('open')
  })()
  await expect(all).rejects.toBe(away)
  expect(asked.length).toBeGreaterThanOrEqual(attempts)
})

it.each([
  [undefined, ['intent', 'ok', 'refused']],
  ['open', ['intent']],
  ['refused', ['refused']],
])('follows the records with the outcome %s: %j', async (outcome, expected) => {
  const records = [{ kind: 'intent' }, { kind: 'outcome', outcome: 'ok' }, { kind: 'outcome', outcome: 'refused' }]
  const lines = records.map((record) => `event: record\ndata: ${JSON.stringify({ text: JSON.stringify(record) })}\n\n`)
  const stop = new AbortController()
  let left = [Buffer.from(lines.join(''))]
  // The records have been printed when the stream asks for more.
  const pull = (stream: ReadableStreamDefaultController) => {
    for (const bytes of left) stream.enqueue(bytes)
    if (left.length === 0) stop.abort()
    left = []
  }
  const open = async () => new Response(new ReadableStream({ pull }, { highWaterMark: 0 }))
  const printed: string[] = []
  const terminal: Terminal = {
    ...{ json: true, quiet: false, interactive: false, width: undefined, paint: painter(false) },
    ...{ print: (text) => void printed.push(text), printJson: () => undefined, say: () => undefined, fail: () => undefined },
  }
  const query = { text: undefined, outcome }
  await followRecords({ open } as unknown as ApiClient, { query, signal: stop.signal, terminal }) // only these members are used
  expect(printed.map((line) => JSON.parse(line)).map(({ kind, outcome }) => outcome ?? kind)).toEqual(expected)
})
