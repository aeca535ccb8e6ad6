// The history of a run as a list of events from the clients, the upstreams, the test harness and the database.

import { once } from 'node:events'
import { createWriteStream } from 'node:fs'

/** A client sent a call. The same call may be sent more than once, as attempts. */
export type Sent = Attempt & { readonly kind: 'sent'; readonly tool: string; readonly revision: string; readonly at: number }

export type Answered = Attempt & {
  readonly kind: 'answered'
  readonly how: AnswerKind
  readonly text: string
  readonly at: number
}

/** `done` by the upstream; `refused` without being executed; `failed` with an unknown effect; `untyped` for an error without a code. */
export type AnswerKind = 'done' | 'refused' | 'failed' | 'untyped'

type Attempt = { readonly call: string; readonly attempt: number; readonly client: string }

export type Executed = {
  readonly kind: 'executed'
  readonly call: string
  readonly upstream: string
  readonly tool: string
  readonly pid: number
  readonly at: number
}

/** A replica answered a decision about a pending call with this status. */
export type Decided = {
  readonly kind: 'decided'
  readonly approval: string
  readonly call: string
  readonly replica: string
  readonly decision: 'allow' | 'deny'
  readonly status: number
  readonly at: number
}

export type FaultEvent = {
  readonly kind: 'fault'
  readonly fault: string
  readonly phase: 'begun' | 'ended'
  readonly at: number
}

/** A row of the audit log, in the chain of its stream. */
export type AuditRow = {
  readonly kind: 'audit'
  readonly stream: string
  readonly sequence: number
  readonly hash: string
  readonly text: string
}

/** A checkpoint with the heads of all streams; `isSigned` tells if its signature is valid. */
export type CheckpointRow = {
  readonly kind: 'checkpoint'
  readonly number: number
  readonly hash: string
  readonly text: string
  readonly isSigned: boolean
}

export type ApprovalRow = { readonly kind: 'approval'; readonly id: string; readonly decision: 'allow' | 'deny' | null }

/** The rate limit of a tool, over all replicas. */
export type LimitSetting = { readonly kind: 'limit'; readonly tool: string; readonly perSecond: number; readonly burst: number }

/** The key of the digests in the audit log, in hexadecimal. */
export type DigestKey = { readonly kind: 'digest-key'; readonly key: string }

/** The time in which a client got a result again after the faults; null if it did not. */
export type Recovered = { readonly kind: 'recovered'; readonly client: string; readonly ms: number | null }

/** A client opened a session. Over HTTP+SSE a session is a stream, and ends with it. */
export type SessionOpened = {
  readonly kind: 'session'
  readonly client: string
  readonly isStream: boolean
  readonly at: number
}

/** A client was told, through the balancer, that its session is unknown. */
export type SessionLost = { readonly kind: 'session-lost'; readonly session: string; readonly at: number }

export type Event =
  | Sent
  | Answered
  | Executed
  | Decided
  | FaultEvent
  | AuditRow
  | CheckpointRow
  | ApprovalRow
  | LimitSetting
  | DigestKey
  | Recovered
  | SessionOpened
  | SessionLost

export type History = readonly Event[]

export const eventsOf = <Kind extends Event['kind']>(history: History, kind: Kind): Extract<Event, { kind: Kind }>[] =>
  history.filter((event): event is Extract<Event, { kind: Kind }> => event.kind === kind)

export async function writeHistory(file: string, history: History): Promise<void> {
  const stream = createWriteStream(file)
  for (const event of history) stream.write(`${JSON.stringify(event)}\n`)
  stream.end()
  await once(stream, 'finish')
}
