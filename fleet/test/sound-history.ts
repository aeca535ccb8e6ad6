// A correct history, made of parts that a test can change.
import { createHash, createHmac } from 'node:crypto'
import type { AuditRow, Event } from '../src/history.js'

const key = Buffer.alloc(32, 7)
const digestOf = (call: string) =>
  createHmac('sha256', key)
    .update(JSON.stringify({ id: call }))
    .digest('hex')

/** The two records of a call. */
export const recordsOf = (call: string, outcome = 'ok'): object[] => [
  { kind: 'intent', id: `record ${call}`, arguments: { type: 'object', hmac: digestOf(call) } },
  { kind: 'outcome', id: `record ${call}`, outcome },
]

export function chainOf(stream: string, records: readonly object[]): AuditRow[] {
  let previous: string | null = null
  return records.map((record, at) => {
    const text: string = JSON.stringify({ sequence: at + 1, previous, ...record })
    const hash: string = createHash('sha256').update(text).digest('hex')
    previous = hash
    return { kind: 'audit', stream, sequence: at + 1, hash, text }
  })
}

export const sent = (call: string, tool = 'plain_0', at = 0): Event => ({
  kind: 'sent',
  call,
  attempt: 1,
  client: 'one',
  revision: '2026-07-28',
  tool,
  at,
})

export const answered = (
  call: string,
  how: 'done' | 'refused' | 'failed' | 'untyped' = 'done',
  text = `done ${call}`,
): Event => ({
  ...{ kind: 'answered', call, attempt: 1, client: 'one', how, text, at: 1 },
})

export const executed = (call: string, tool = 'plain_0', at = 0): Event => ({
  ...{ kind: 'executed', call, upstream: 'web', tool, pid: 1, at },
})

export const decided = (approval: string, call: string, status = 200): Event => ({
  ...{ kind: 'decided', approval, call, replica: 'replica1', decision: 'allow', status, at: 0 },
})

const streams = [chainOf('a', [...recordsOf('x'), ...recordsOf('y')]), chainOf('b', recordsOf('z'))] as const

/** Two checkpoints: one of the first stream, and one of the second. */
const checkpoints = chainOf(
  'checkpoints',
  streams.map((rows) => {
    const { stream = '', sequence = 0, hash = '' } = rows.at(-1) ?? {}
    return { heads: { [stream]: [sequence, hash] } }
  }),
).map(({ sequence, hash, text }): Event => ({ kind: 'checkpoint', number: sequence, hash, text, isSigned: true }))

/** Two plain calls and an approved one, in two streams, and a refused call. */
export const soundHistory: readonly Event[] = [
  { kind: 'digest-key', key: key.toString('hex') },
  { kind: 'limit', tool: 'limited', perSecond: 10, burst: 10 },
  ...[sent('x'), answered('x'), executed('x')],
  ...[sent('y'), answered('y'), executed('y')],
  ...[sent('z', 'risky'), decided('ask z', 'z'), executed('z', 'risky'), answered('z')],
  { kind: 'approval', id: 'ask z', decision: 'allow' },
  ...[sent('r', 'risky'), answered('r', 'refused', 'it was not made')],
  ...streams.flat(),
  ...checkpoints,
  { kind: 'session', client: 'one', isStream: false, at: 0 },
  { kind: 'recovered', client: 'one', ms: 40 },
]
