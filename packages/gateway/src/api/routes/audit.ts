import type { AuditQuery } from '../../store/audit/audit-query.js'
import type { SignedHead } from '../../store/audit/signed-head.js'
import { HttpRefusal, queryChoice, queryNumber, type Route, type RouteRequest, type RouteResponse, route } from '../route.js'
import { serverSentEvent } from '../server-sent-event.js'
import { shape } from '../shape.js'

const outcomes = ['ok', 'error', 'asked', 'refused', 'cancelled', 'failed', 'open'] as const
const decisions = ['allowed', 'refused'] as const

const call = shape.object({
  sequence: shape.describe(shape.integer, 'Sequence of its first record'),
  ...shape.each(shape.text, 'call', 'caller', 'server?', 'tool', 'reason?', 'stream?'),
  at: shape.time,
  'continued?': shape.boolean,
  'ended?': shape.describe(shape.integer, 'Sequence of its last record'),
  'durationMs?': shape.number,
  'decision?': shape.oneOf(...decisions),
  'outcome?': shape.oneOf(...outcomes),
  'ground?': shape.describe(
    { type: 'string', pattern: '^(claim|grant:.+)$' },
    '`claim`: allowed because its server claims, unverified, that the tool only reads; `grant:` and its id: by a standing approval',
  ),
})

const followSummary =
  'New records as server-sent events, each at least once; their ids are sequence numbers. The first event is `open`. Its id is the place ' +
  'in the log at which the stream starts, so that `Last-Event-ID` resumes also before the first record.'

const mostHeads = 1_000
const signedHead = shape.object({
  sequence: { type: 'integer', minimum: 1 },
  hash: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  at: shape.integer,
  key: { type: 'string', pattern: '^[\\w-]{43}$' },
  signature: { type: 'string', maxLength: 200 },
})

export const auditRoutes: readonly Route[] = [
  route('GET /audit', 'Searches the log: calls, newest first, a page at a time', {
    query: {
      text: 'Text anywhere in the record of a call',
      caller: 'Id of the caller',
      server: 'Id of the server',
      tool: 'Name of the tool',
      outcome: outcomes.join(', '),
      decision: decisions.join(', '),
      from: 'Milliseconds since 1970',
      to: 'Milliseconds since 1970',
      before: 'The `before` of the previous page',
      limit: 'Maximum number of calls; 50 by default, 1,000 at most',
    },
    reply: shape.object({ calls: shape.list(call), 'before?': shape.describe(shape.integer, 'Start of the next page') }),
    handle: async ({ control, query }) => ({ json: await control.store.audit.search(queryOf(query)) }),
  }),
  route('GET /audit/verify', 'Verifies the whole log', {
    reply: shape.object({ ok: shape.boolean }),
    handle: async ({ control: { store } }) => ({ json: await store.audit.verify() }),
  }),
  route('GET /audit/head', 'The signed head of the log. Keep it elsewhere to detect a truncated log', {
    reply: shape.object({ head: { type: ['object', 'null'] }, publicKey: shape.text }),
    handle: ({ control: { store } }) => ({ json: { head: store.audit.signHead() ?? null, publicKey: store.audit.publicKey } }),
  }),
  route('GET /audit/heads/{sequence}', 'The hash of an earlier head, by its sequence number', {
    answers: { 404: 'The log has no such head' },
    reply: shape.object({
      sequence: shape.integer,
      hash: shape.describe(shape.nullableText, 'null if the log begins after the head, so that it cannot be checked'),
    }),
    async handle({ control: { store }, params: { sequence = '' } }) {
      const hash = /^\d{1,15}$/.test(sequence) ? await store.audit.headHash(Number(sequence)) : undefined
      if (hash === undefined) throw new HttpRefusal(404, `The log has no head ${sequence.slice(0, 40)}`)
      return { json: { sequence: Number(sequence), hash } }
    },
  }),
  route('POST /audit/witnessed', 'Verifies the log against the signed heads of a witness; names the first record that differs', {
    body: shape.body({ heads: { type: 'array', items: signedHead, maxItems: mostHeads } }),
    reply: shape.object({
      ok: shape.boolean,
      ...shape.each(shape.integer, 'heads?', 'dropped?', 'sequence?', 'index?'),
      'why?': shape.text,
    }),
    // The schema of the body guarantees heads.
    handle: async ({ control: { store }, body }) => ({
      json: await store.audit.checkWitnessed(body.heads as unknown as SignedHead[]),
    }),
  }),
  route('GET /audit/export', 'The whole log', {
    query: { format: '`ndjson`, which can be verified, or `csv` with one row per call' },
    type: 'application/x-ndjson',
    handle({ control: { store }, query }): RouteResponse {
      const format = query.get('format') ?? 'ndjson'
      if (format !== 'ndjson' && format !== 'csv') throw new HttpRefusal(400, '"format" must be ndjson or csv')
      const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson'
      return { type, name: `audit.${format}`, pieces: store.audit.export(format) }
    },
  }),
  route('GET /audit/follow', followSummary, {
    query: {
      after:
        'Starts after this record; by default with the next one. With a shared store, others from shortly before are repeated',
    },
    type: 'text/event-stream',
    // A wrong query is refused here, because a stream that has begun cannot be refused.
    handle: (ask) => ({ type: 'text/event-stream', pieces: streamRecords(ask, startOf(ask)) }),
  }),
  route('GET /audit/{sequence}', 'One record and its call, by sequence number or by the `record` of an event', {
    answers: { 404: 'The record does not exist' },
    reply: shape.object({
      entry: shape.object({ sequence: shape.integer, hash: shape.text, text: shape.text }),
      record: shape.anyObject,
      'call?': call,
    }),
    async handle({ control: { store }, params: { sequence = '' } }) {
      const number = /^\d{1,15}$/.test(sequence) ? Number(sequence) : (await store.audit.callOf(sequence))?.sequence
      const found = number === undefined ? undefined : await store.audit.record(number)
      if (!found) throw new HttpRefusal(404, `There is no record ${sequence.slice(0, 40)}`)
      return { json: found }
    },
  }),
]

function queryOf(query: URLSearchParams): AuditQuery {
  const texts = ['text', 'caller', 'server', 'tool'].map((name) => [name, query.get(name)])
  const numbers = ['from', 'to', 'before', 'limit'].map((name) => [name, queryNumber(query, name)])
  const choices = [
    ['outcome', queryChoice(query, 'outcome', outcomes)],
    ['decision', queryChoice(query, 'decision', decisions)],
  ]
  return Object.fromEntries([...texts, ...numbers, ...choices].filter(([, value]) => value !== null && value !== undefined))
}

/** Starts after the last record that the client has received, or after the one that it names. */
const startOf = ({ query, lastEventId }: RouteRequest): number | undefined =>
  lastEventId && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : queryNumber(query, 'after')

async function* streamRecords({ control: { store }, signal }: RouteRequest, after: number | undefined): AsyncGenerator<string> {
  const { audit } = store
  const { end, pages } = after === undefined ? await audit.followNew(signal) : { end: after, pages: audit.follow(after, signal) }
  yield serverSentEvent({ id: String(end), event: 'open', data: {} })
  for await (const page of pages)
    yield page.map((entry) => serverSentEvent({ id: String(entry.sequence), event: 'record', data: entry })).join('')
}
