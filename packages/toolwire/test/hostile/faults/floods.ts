// Floods of messages that are harmless one by one. Row 7.
import { type Ask, type Fault, flood, notification, pause, type Script, text, type Wire } from '../fault.js'

type Act = (wire: Wire, ask: Ask, nth: number) => void
/** Repeats the action, then answers. */
const during =
  (total: number, act: Act, ms = 500): Script =>
  async (wire, ask) => {
    await flood(total, (nth) => act(wire, ask, nth), ms)
    wire.answer(ask, text('ok'))
  }
const tokenOf = ({ params }: Ask) => (params?._meta as { progressToken?: number } | undefined)?.progressToken ?? 0
const changed = 'notifications/tools/list_changed'
const subscription = 'io.modelcontextprotocol/subscriptionId'

export const floods: readonly Fault[] = [
  {
    name: 'progress, 10,000 times a second',
    rows: [7],
    ids: 'PROG-006',
    on: {
      bad: during(
        10_000,
        (wire, ask, progress) => {
          wire.say(notification('notifications/progress', { progressToken: tokenOf(ask), progress, total: 10_000 }))
        },
        1_000,
      ),
    },
    does: (client, { progress }) => client.call('bad', {}, { onProgress: (report) => void progress.push(report) }),
    shows: { gives: 'ok', progress: { perSecond: 10, last: 10_000 } },
  },
  {
    name: 'progress of unknown calls, 10,000 times a second',
    rows: [7],
    ids: 'PROG-007',
    on: {
      bad: during(5_000, (wire, _, progress) => {
        wire.say(notification('notifications/progress', { progressToken: progress % 2 ? 987_654 : 'x', progress }))
      }),
    },
    does: (client, { progress }) => client.call('bad', {}, { onProgress: (report) => void progress.push(report) }),
    shows: { gives: 'ok', progress: { perSecond: 0, last: 0 } },
  },
  {
    name: 'unknown notifications, 10,000 times a second',
    rows: [7],
    on: { bad: during(5_000, (wire) => wire.say(notification('notifications/whatever', { x: 'x'.repeat(100) }))) },
    shows: { gives: 'ok' },
  },
  {
    name: 'log messages, 10,000 times a second',
    rows: [7],
    on: { bad: during(5_000, (wire) => wire.say(notification('notifications/message', { level: 'error', data: 'x' }))) },
    shows: { gives: 'ok' },
  },
  {
    name: 'garbage, 10,000 times a second',
    rows: [7, 14],
    over: 'stdio',
    on: { bad: during(5_000, (wire) => wire.say('{"not":"a message"}')) },
    does: async (client, { warnings }) => {
      await client.call('bad')
      return warnings.length < 100
    },
    shows: { gives: true, warns: /./ },
  },
  {
    name: 'answers to unknown requests, 10,000 times a second',
    rows: [7, 10],
    ids: 'CALL-008',
    on: { bad: during(5_000, (wire, _, nth) => wire.say({ jsonrpc: '2.0', id: `n${nth}`, result: {} })) },
    does: async (client, { warnings }) => {
      await client.call('bad')
      return warnings.length < 100
    },
    shows: { gives: true },
  },
  {
    name: 'changes of the list, 10,000 times a second',
    rows: [7],
    on: {
      bad: during(5_000, (wire) => wire.say(notification(changed))),
    },
    does: async (client, tally) => {
      const stop = client.onChange(() => tally.changes++)
      await client.call('bad')
      await client.listTools()
      stop()
      return tally.changes < 100
    },
    shows: { gives: true, seen: { 'tools/list': [1, 20] } },
  },
  {
    name: 'changes of the list on a subscription, 10,000 times a second',
    rows: [7],
    style: 'per-request',
    on: {
      'subscriptions/listen': async (wire, ask) => {
        const _meta = { [subscription]: ask.id ?? 0 }
        const notifications = { toolsListChanged: true }
        wire.say(notification('notifications/subscriptions/acknowledged', { _meta, notifications }))
        await flood(5_000, () => wire.say(notification(changed, { _meta })), 500)
      },
    },
    does: async (client, tally) => {
      const stop = client.onChange(() => tally.changes++)
      await client.call('echo')
      await pause(700)
      await client.listTools()
      stop()
      return tally.changes > 0 && tally.changes < 100
    },
    shows: { gives: true, seen: { 'tools/list': [1, 20], 'subscriptions/listen': [1, 3] } },
  },
  {
    name: 'questions to the person, 100 times a second',
    ids: 'ELIC-027',
    style: 'handshake',
    on: {
      bad: during(
        100,
        (wire, _, nth) =>
          wire.say({
            jsonrpc: '2.0',
            id: `question-${nth}`,
            method: 'elicitation/create',
            params: { message: 'Your password?', requestedSchema: { type: 'object', properties: { it: { type: 'string' } } } },
          }),
        1_000,
      ),
    },
    options: (tally) => ({
      answers: {
        form: () => {
          tally.asked++
          return { action: 'decline' }
        },
      },
    }),
    shows: { gives: 'ok', asked: [1, 31], seen: { response: [100, 100] } },
  },
  {
    name: 'questions without the capability, 1,000 times a second',
    style: 'handshake',
    on: {
      bad: during(500, (wire, _, id) => wire.say({ jsonrpc: '2.0', id, method: 'sampling/createMessage', params: {} })),
    },
    shows: { gives: 'ok' },
  },
  {
    name: 'questions in an era that has none, 10,000 times a second',
    style: 'per-request',
    on: {
      bad: during(5_000, (wire, _, id) => wire.say({ jsonrpc: '2.0', id, method: 'elicitation/create', params: {} })),
    },
    does: async (client, { warnings }) => {
      await client.call('bad')
      return warnings.length < 100
    },
    shows: { gives: true, asked: [0, 0], seen: { response: 0 } },
  },
  {
    name: 'pings, and the answers are not read',
    rows: [9],
    over: 'stdio',
    style: 'handshake',
    on: {
      bad: async (wire) => {
        process.stdin.pause()
        const ping = { jsonrpc: '2.0', method: 'ping', id: 'x'.repeat(1_000) }
        await wire.pour(40_000_000, { fill: `${JSON.stringify(ping)}\n` })
      },
    },
    does: (client) => client.call('bad', {}, { idleMs: 1_200 }),
    shows: { fails: 'outcome_unknown', afterwards: 'unasked' },
  },
  {
    name: '50 MB on stderr',
    over: 'stdio',
    on: {
      bad: async (wire, ask) => {
        const piece = Buffer.alloc(65_536, 'x')
        for (let sent = 0; sent < 800; sent++) {
          if (!process.stderr.write(piece)) await new Promise((resolve) => process.stderr.once('drain', resolve))
        }
        wire.answer(ask, text('ok'))
      },
    },
    shows: { gives: 'ok' },
  },
]
