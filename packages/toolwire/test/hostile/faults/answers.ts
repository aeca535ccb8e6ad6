// Responses that do not match the request. Rows 10 and 12.
import { type Ask, alike, complete, type Fault, pause, response, type Script, text, type Wire } from '../fault.js'
import { answerOf } from '../player.js'

/** A wrong message first, then the right response. */
const after =
  (wrong: (wire: Wire, ask: Ask) => unknown): Script =>
  (wire, ask) => {
    wire.say(wrong(wire, ask))
    wire.answer(ask, text('right'))
  }
const as = (id: unknown) => (wire: Wire) => response(id, complete(wire, text('wrong')))
const ignored = { gives: 'right', withinMs: 500, warns: /ignored|passed over|skipped/ } as const

const misaddressed = alike({ rows: [10], ids: 'CALL-008', shows: ignored }, [
  { name: 'an answer with an unused id', on: { bad: after(as(987_654)) } },
  { name: 'an answer with the id as a string', on: { bad: after((wire, ask) => as(String(ask.id))(wire)) } },
  { name: 'an answer with the id as a fraction', on: { bad: after((wire, ask) => as(Number(ask.id) + 0.5)(wire)) } },
  { name: 'an answer with null for an id', on: { bad: after(as(null)) } },
  { name: 'an answer with an object for an id', on: { bad: after(as({ toString: 'x' })) } },
  { name: 'an answer with an id beyond 2^53', on: { bad: after(() => '{"jsonrpc":"2.0","id":90071992547409931,"result":{}}') } },
  {
    name: 'an answer to a request that is over',
    on: { bad: after((wire, ask) => as(Number(ask.id) - 1)(wire)) },
  },
  {
    name: 'an error without an id',
    over: 'stdio',
    on: { bad: after(() => ({ jsonrpc: '2.0', error: { code: -32700, message: 'What?' } })) },
  },
])

const repeated: readonly Fault[] = [
  {
    name: 'an answer twice',
    rows: [10],
    ids: 'CALL-008',
    over: 'stdio',
    on: {
      bad: (wire, ask) => {
        wire.answer(ask, text('right'))
        wire.answer(ask, text('wrong'))
      },
    },
    shows: ignored,
  },
  {
    name: 'an answer after it was cancelled',
    rows: [10],
    ids: 'CANC-009',
    on: { bad: (wire, ask) => pause(200).then(() => wire.answer(ask, text('late'))) },
    does: (client) => client.call('bad', {}, { signal: AbortSignal.timeout(100) }).finally(() => pause(200)),
    shows: ({ carrier }) => ({
      fails: 'cancelled',
      withinMs: 1_000,
      ...(carrier === 'stdio' && { warns: /was ignored/ }),
    }),
  },
  {
    name: 'answers in any order',
    ids: 'CALL-007',
    over: 'stdio',
    on: { bad: shuffled(1_000) },
    does: async (client) => {
      const names = Array.from({ length: 1_000 }, (_, nth) => `call ${nth}`)
      const results = await Promise.all(names.map((name) => client.call('bad', { name })))
      return results.every(({ content: [first] }, nth) => first?.type === 'text' && first.text === names[nth])
    },
    shows: { gives: true },
  },
  {
    name: 'answers that cross their cancellation',
    ids: 'CANC-008',
    on: { bad: (wire, ask) => pause(Math.random() * 40).then(() => wire.answer(ask, text('in time'))) },
    does: async (client) => {
      const calls = Array.from({ length: 60 }, () =>
        client.call('bad', {}, { signal: AbortSignal.timeout(Math.ceil(Math.random() * 40)) }),
      )
      const ends = await Promise.allSettled(calls)
      return ends.filter((end) => end.status === 'fulfilled' || end.reason.code === 'cancelled').length
    },
    shows: { gives: 60 },
  },
]

const refused = { fails: 'bad_response', withinMs: 500, seen: { 'call:bad': 1 } } as const
const result =
  (members: object): Script =>
  (wire, ask) =>
    wire.last(response(ask.id, members as Ask))
const named = (resultType: unknown) => result({ ...text('for the model'), resultType })

const misshapen: readonly Fault[] = [
  {
    name: 'both a result and an error',
    ids: 'BASE-006',
    on: { bad: (wire, ask) => wire.last({ ...answerOf(wire, ask, text('both')), error: { code: -1, message: 'both' } }) },
    shows: refused,
  },
  {
    name: 'neither a result nor an error',
    ids: 'BASE-006',
    over: 'http',
    on: { bad: (wire, ask) => wire.last({ jsonrpc: '2.0', id: ask.id }) },
    shows: refused,
  },
  {
    name: 'a result that is a string',
    on: { bad: (wire, ask) => wire.last({ jsonrpc: '2.0', id: ask.id, result: 'x' }) },
    shows: refused,
  },
  { name: 'a result without content', on: { bad: (wire, ask) => wire.answer(ask, {}) }, shows: refused },
  { name: 'content that is a string', on: { bad: (wire, ask) => wire.answer(ask, { content: 'x' }) }, shows: refused },
  {
    name: 'content with null in it',
    on: { bad: (wire, ask) => wire.answer(ask, { content: [null] }) },
    shows: { gives: '[malformed content]' },
  },
  {
    name: 'text that is a number',
    on: { bad: (wire, ask) => wire.answer(ask, { content: [{ type: 'text', text: 1 }] }) },
    shows: { gives: '[malformed text]' },
  },
  {
    name: 'no resultType',
    rows: [12],
    ids: 'BASE-030',
    style: 'per-request',
    on: { bad: (_, ask) => result(text('complete'))(_, ask) },
    shows: { gives: 'complete' },
  },
  {
    name: 'an unknown resultType',
    rows: [12],
    ids: 'BASE-031',
    style: 'per-request',
    on: { bad: named('later') },
    shows: refused,
  },
  {
    name: 'a task without the capability',
    rows: [12],
    ids: 'BASE-031',
    style: 'per-request',
    on: { bad: named('task') },
    shows: refused,
  },
  { name: 'a number for a resultType', rows: [12], style: 'per-request', on: { bad: named(1) }, shows: refused },
]

/** Collects calls up to the given number, then answers them in shuffled order, each with its own argument. */
function shuffled(many: number): Script {
  const kept: { wire: Wire; ask: Ask }[] = []
  return (wire, ask) => {
    kept.push({ wire, ask })
    if (kept.length < many) return
    for (const one of kept.sort(() => Math.random() - 0.5)) one.wire.answer(one.ask, text(nameIn(one.ask)))
  }
}

const nameIn = ({ params }: Ask) => String((params?.arguments as { name?: string } | undefined)?.name)

export const answers = [...misaddressed, ...repeated, ...misshapen]
