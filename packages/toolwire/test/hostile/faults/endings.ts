// Responses that end too early, too late or never. Rows 4, 5 and 6.
import type { ServerResponse } from 'node:http'
import { type Ask, alike, notification, pause, text, type Wire } from '../fault.js'
import { answerOf } from '../player.js'

const answerText = (wire: Wire, ask: Ask) => JSON.stringify(answerOf(wire, ask, text('half')))
const half = (whole: string) => whole.slice(0, whole.length - 10)

function begin({ http }: Wire, headers: Record<string, string | number>): ServerResponse {
  // These scripts run only over HTTP.
  const response = http!.response
  return response.writeHead(200, headers)
}

async function sendThenCut(response: ServerResponse, piece: string): Promise<void> {
  response.write(piece)
  await pause(20)
  response.destroy()
}

const events = { 'content-type': 'text/event-stream' }
const json = { 'content-type': 'application/json' }
const lostAnswer = { fails: 'outcome_unknown', withinMs: 500, seen: { 'call:bad': 1, resumed: 0 } } as const

/** Sends one byte at a time, for longer than any client should wait. */
async function drip(response: ServerResponse, whole: string): Promise<void> {
  for (const piece of whole) {
    if (response.destroyed) return
    response.write(piece)
    await pause(50)
  }
}

export const endings = alike({ style: 'both' }, [
  {
    name: 'the end in the middle of a JSON body with a length',
    rows: [4],
    ids: 'SECC-010',
    over: 'http',
    on: { bad: (wire, ask) => sendThenCut(begin(wire, { ...json, 'content-length': 10_000 }), half(answerText(wire, ask))) },
    shows: lostAnswer,
  },
  {
    name: 'the end in the middle of a JSON body in chunks',
    rows: [4],
    ids: 'SECC-010',
    over: 'http',
    on: { bad: (wire, ask) => sendThenCut(begin(wire, json), half(answerText(wire, ask))) },
    shows: lostAnswer,
  },
  {
    name: 'the end in the middle of an event',
    rows: [4],
    ids: 'SECC-010 HTTP-015',
    over: 'http',
    on: { bad: (wire, ask) => sendThenCut(begin(wire, events), `data: ${answerText(wire, ask)}\n`) },
    shows: lostAnswer,
  },
  {
    name: 'a stream that ends in good order without the answer',
    rows: [4],
    ids: 'SECC-010 HTTP-015',
    over: 'http',
    on: { bad: (wire) => begin(wire, events).end(': nothing\n\n') },
    shows: lostAnswer,
  },
  {
    name: 'a stream that stays open after the answer',
    rows: [5],
    over: 'http',
    on: { bad: (wire, ask) => void wire.say(answerOf(wire, ask, text('open'))) },
    shows: { gives: 'open', withinMs: 500, seen: { hangup: 1 } },
  },
  {
    name: 'a body that comes byte by byte',
    rows: [6],
    ids: 'TOUT-001',
    over: 'http',
    on: { bad: (wire, ask) => drip(begin(wire, json), answerText(wire, ask)) },
    does: (client) => client.call('bad', {}, { idleMs: 400, totalMs: 600 }),
    shows: { fails: 'outcome_unknown', withinMs: 900 },
  },
  {
    name: 'a stream with only keep-alive comments',
    rows: [6],
    ids: 'TOUT-001',
    over: 'http',
    on: { bad: (wire) => drip(begin(wire, events), ':\n\n'.repeat(20)) },
    does: (client) => client.call('bad', {}, { idleMs: 2_000, totalMs: 600 }),
    shows: { fails: 'outcome_unknown', withinMs: 900 },
  },
  {
    name: 'a line that comes byte by byte',
    rows: [6],
    ids: 'TOUT-001',
    over: 'stdio',
    on: {
      bad: async (wire, ask) => {
        for (const piece of answerText(wire, ask).slice(0, 20)) {
          process.stdout.write(piece)
          await pause(50)
        }
        process.stdout.write('\n')
      },
    },
    does: async (client) => client.call('bad', {}, { idleMs: 2_000, totalMs: 600 }).finally(() => pause(600)),
    shows: { fails: 'outcome_unknown', withinMs: 1_500 },
  },
  {
    name: 'a broken stream of a harmless tool of a trusted server',
    rows: [4],
    ids: 'HTTP-015',
    over: 'http',
    style: 'per-request',
    bad: { annotations: { readOnlyHint: true } },
    on: { bad: cutTheFirst() },
    options: () => ({ trusted: true }),
    shows: { gives: 'at last', seen: { 'call:bad': 2, 'another id': 1, resumed: 0 } },
  },
])

/** The first response is cut off; the second is complete, and records whether its request had a new id. */
function cutTheFirst() {
  const ids = new Set<unknown>()
  return async (wire: Wire, ask: Ask) => {
    wire.note(ids.has(ask.id) ? 'the same id' : ids.size > 0 ? 'another id' : 'an id')
    ids.add(ask.id)
    if (ids.size > 1) return wire.answer(ask, text('at last'))
    wire.say(notification('notifications/message', { level: 'info', data: 'soon' }))
    await pause(20)
    wire.http?.response.destroy()
  }
}
