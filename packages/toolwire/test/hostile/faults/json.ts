// JSON that is difficult for parsers.
import type { Client } from '../../../src/client/client.js'
import { type Ask, complete, type Fault, type Shows, text, type Wire } from '../fault.js'

/** An answer that contains text which JSON.stringify would not write. */
const answering = (member: string) => (wire: Wire, ask: Ask) => {
  const good = JSON.stringify(complete(wire, text('ok')))
  wire.last(`{"jsonrpc":"2.0","id":${ask.id},"result":{${member},${good.slice(1)}}`)
}
const nested = (depth: number) => `"deep":${'['.repeat(depth)}${']'.repeat(depth)}`
const members = (count: number) => `"wide":{${Array.from({ length: count }, (_, nth) => `"k${nth}":0`).join()}}`

/** An unreadable message has no trustworthy id, so on a pipe the call gets no answer. */
const unreadable: Fault['shows'] = ({ carrier }): Shows =>
  carrier === 'http'
    ? { fails: 'bad_response', withinMs: 1_000 }
    : { fails: 'outcome_unknown', withinMs: 2_000, warns: /invalid message/ }

/** If the syntax is valid, the pending call fails at once. */
const readable: Fault['shows'] = { fails: 'bad_response', withinMs: 1_000 }

const ambiguous: readonly Fault[] = [
  { name: 'JSON 10,000 levels deep', member: nested(10_000) },
  { name: 'JSON a million levels deep', member: nested(1_000_000) },
  { name: 'a key twice', member: '"isError":false,"isError":true', shows: readable },
  { name: '20,000 members', member: members(20_000) },
  { name: 'half of a surrogate pair', member: '"x":"\\ud800"', shows: readable },
  { name: 'a number beyond all bounds', member: '"x":1e999', shows: readable },
  { name: 'a million empty objects', member: `"x":[${'{},'.repeat(999_999)}{}]` },
].map(({ name, member, shows = unreadable }) => ({
  name,
  rows: [8, 14],
  on: { bad: answering(member) },
  does: (client: Client) => client.call('bad', {}, { idleMs: 5_000 }),
  shows,
}))

const polluting =
  '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"structuredContent":{"__proto__":{"polluted":1}}'

export const json: readonly Fault[] = [
  ...ambiguous,
  {
    name: 'keys that would change every object',
    on: { bad: answering(polluting) },
    does: async (client) => {
      const { structuredContent } = await client.call('bad')
      const { polluted } = (structuredContent ?? {}) as { polluted?: unknown }
      return [({} as { polluted?: unknown }).polluted, polluted, Object.getPrototypeOf({}) === Object.prototype]
    },
    shows: { gives: [undefined, undefined, true] },
  },
  {
    name: 'a method and parameters that would change every object',
    on: {
      bad: (wire, ask) => {
        wire.say('{"jsonrpc":"2.0","method":"__proto__","params":{"__proto__":{"polluted":1}}}')
        wire.say('{"jsonrpc":"2.0","method":"constructor","params":{}}')
        wire.say('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"__proto__","progress":1}}')
        wire.answer(ask, text('ok'))
      },
    },
    does: async (client) => [(await client.call('bad')).isError, ({} as { polluted?: unknown }).polluted],
    shows: { gives: [false, undefined] },
  },
]
