// Servers that do not answer, or that close the connection. Rows 1 and 3.
import { alike, notification, pause, type Script } from '../fault.js'

const nothing: Script = () => undefined
/** Short timeouts for the faulty request only, because connecting may take longer on a busy machine. They suffice to send the request. */
const short = { idleMs: 1_000, totalMs: 2_400 }
const hangUp: Script = ({ http }) => http?.request.socket.resetAndDestroy()

export const silence = alike({ style: 'both' }, [
  {
    name: 'a call is never answered',
    rows: [1],
    ids: 'TOUT-001',
    on: { bad: nothing },
    does: (client) => client.call('bad', {}, short),
    shows: ({ carrier, style }) => ({
      fails: 'outcome_unknown',
      withinMs: 1_500,
      seen: { 'call:bad': 1, [carrier === 'http' && style === 'per-request' ? 'hangup' : 'notifications/cancelled']: 1 },
    }),
  },
  {
    name: 'a list is never given',
    rows: [1],
    ids: 'TOUT-001',
    on: { 'tools/list': nothing },
    does: (client) => client.listTools({ fresh: true, ...short }),
    shows: { fails: 'timed_out', withinMs: 2_700, afterwards: 'unasked' },
  },
  {
    name: 'progress without end',
    rows: [6],
    ids: 'TOUT-004',
    on: {
      bad: async (wire, ask) => {
        const end = Date.now() + 1_500
        for (let progress = 1; Date.now() < end; progress++) {
          wire.say(notification('notifications/progress', { progressToken: ask.id ?? 0, progress }))
          await pause(50)
        }
      },
    },
    does: (client) => client.call('bad', {}, { idleMs: 250, totalMs: 600, onProgress: () => undefined }),
    shows: { fails: 'outcome_unknown', withinMs: 900 },
  },
  {
    name: 'the connection is reset once a call was read',
    rows: [3],
    ids: 'ERRC-007 SECC-010 HTTP-015',
    over: 'http',
    on: { bad: hangUp },
    shows: { fails: 'outcome_unknown', withinMs: 300, seen: { 'call:bad': 1, resumed: 0 } },
  },
  {
    name: 'the connection is reset while a call with a claim to be harmless is answered',
    rows: [3],
    ids: 'SECC-010',
    over: 'http',
    bad: { annotations: { readOnlyHint: true, idempotentHint: true, destructiveHint: false } },
    on: { bad: hangUp },
    shows: { fails: 'outcome_unknown', seen: { 'call:bad': 1 } },
  },
  {
    name: 'every connection is reset',
    rows: [3],
    over: 'http',
    first: ({ http }) => http?.request.socket.resetAndDestroy() !== undefined,
    shows: { fails: 'disconnected', withinMs: 2_000 },
  },
])
