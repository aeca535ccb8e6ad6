import type { SignedHead } from '../../store/audit/signed-head.js'
import type { Route, RouteRequest, RouteResponse } from '../route.js'
import { HttpRefusal, queryNumber } from '../route.js'
import {
  anyObjectSchema,
  bodySchema,
  booleanSchema,
  enumSchema,
  integerSchema,
  listSchema,
  nonNegativeSchema,
  objectSchema,
  textSchema,
  timestampSchema,
} from '../schemas/schemas.js'
import { serverSentEvent } from '../server-sent-event.js'

const outcomes = ['ok', 'error', 'asked', 'refused', 'cancelled', 'failed', 'open'] as const
const decisions = ['allowed', 'refused'] as const

const call = objectSchema({
  sequence: { ...integerSchema, description: 'Sequence of its first record' },
  call: textSchema,
  at: timestampSchema,
  caller: textSchema,
  'server?': textSchema,
  tool: textSchema,
  'continued?': booleanSchema,
  'ended?': { ...integerSchema, description: 'Sequence of its last record' },
  'durationMs?': nonNegativeSchema,
  'decision?': enumSchema(...decisions),
  'outcome?': enumSchema(...outcomes),
  'reason?': textSchema,
  'ground?': { ...enumSchema('claim'), description: 'Allowed because its server claims, unverified, that the tool only reads' },
})

const mostHeads = 1_000
const signedHead = {
  type: 'object',
  properties: {
    sequence: { type: 'integer', minimum: 1 },
    hash: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    at: { type: 'integer' },
    key: { type: 'string', pattern: '^[\\w-]{43}$' },
    signature: { type: 'string', maxLength: 200 },
  },
  required: ['sequence', 'hash', 'at', 'key', 'signature'],
}

/** The log of all calls. */
export const auditRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/audit',
    summary: 'Searches the log: calls, newest first, a page at a time',
    query: {
      text: 'Anywhere in the record of a call',
      caller: 'Id of the caller',
      server: 'Id of the server',
      tool: 'Name of the tool',
      outcome: outcomes.join(', '),
      decision: decisions.join(', '),
      from: 'Milliseconds since 1970',
      to: 'Milliseconds since 1970',
      before: 'The `before` of the previous page',
      limit: 'How many; 50 by default, 1,000 at most',
    },
    reply: objectSchema({ calls: listSchema(call), 'before?': { ...integerSchema, description: 'Start of the next page' } }),
    handle: async ({ control, query }) => ({ json: await control.store.audit.search(queryOf(query)) }),
  },
  {
    method: 'GET',
    path: '/audit/verify',
    summary: 'Verifies the whole log',
    reply: objectSchema({ ok: booleanSchema }),
    async handle({ control: { store } }) {
      return { json: await store.audit.verify() }
    },
  },
  {
    method: 'GET',
    path: '/audit/head',
    summary: 'The signed head of the log. Keep it elsewhere to detect a truncated log',
    reply: objectSchema({ head: { type: ['object', 'null'] }, publicKey: textSchema }),
    handle: ({ control: { store } }) => ({ json: { head: store.audit.signHead() ?? null, publicKey: store.audit.publicKey } }),
  },
  {
    method: 'POST',
    path: '/audit/witnessed',
    summary: 'Verifies the log against the signed heads of a witness; names the first record that differs',
    body: bodySchema({ heads: { type: 'array', items: signedHead, maxItems: mostHeads } }),
    reply: objectSchema({
      ok: booleanSchema,
      'heads?': integerSchema,
      'dropped?': integerSchema,
      'sequence?': integerSchema,
      'why?': textSchema,
      'index?': integerSchema,
    }),
    // The schema of the body has said that they are heads.
    handle: async ({ control: { store }, body }) => ({
      json: await store.audit.checkWitnessed(body.heads as unknown as SignedHead[]),
    }),
  },
  {
    method: 'GET',
    path: '/audit/export',
    summary: 'The whole log',
    query: { format: '`ndjson`, which can be verified, or `csv` with one row per call' },
    type: 'application/x-ndjson',
    handle({ control: { store }, query }): RouteResponse {
      const format = query.get('format') ?? 'ndjson'
      if (format !== 'ndjson' && format !== 'csv') throw new HttpRefusal(400, '"format" must be ndjson or csv')
      const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson'
      return { type, name: `audit.${format}`, pieces: store.audit.export(format) }
    },
  },
  {
    method: 'GET',
    path: '/audit/follow',
    summary: 'New records as server-sent events; their ids are sequence numbers',
    query: { after: 'Starts after this record; by default with the next one' },
    type: 'text/event-stream',
    handle: (ask) => ({ type: 'text/event-stream', pieces: following(ask) }),
  },
  {
    method: 'GET',
    path: '/audit/{sequence}',
    summary: 'One record and its call, by sequence number or by the `record` of an event',
    answers: { 404: 'The record does not exist' },
    reply: objectSchema({
      entry: objectSchema({ sequence: integerSchema, hash: textSchema, text: textSchema }),
      record: anyObjectSchema,
      'call?': call,
    }),
    async handle({ control: { store }, params: { sequence = '' } }) {
      const number = /^\d{1,15}$/.test(sequence) ? Number(sequence) : (await store.audit.callOf(sequence))?.sequence
      const found = number === undefined ? undefined : await store.audit.record(number)
      if (!found) throw new HttpRefusal(404, `There is no record ${sequence.slice(0, 40)}`)
      return { json: found }
    },
  },
]

function queryOf(query: URLSearchParams) {
  const texts = ['text', 'caller', 'server', 'tool'].flatMap((name) => entryOf(name, query.get(name)))
  const numbers = ['from', 'to', 'before', 'limit'].flatMap((name) => entryOf(name, queryNumber(query, name)))
  const choices = [
    ...entryOf('outcome', choiceIn(query, 'outcome', outcomes)),
    ...entryOf('decision', choiceIn(query, 'decision', decisions)),
  ]
  return Object.fromEntries([...texts, ...numbers, ...choices])
}

const entryOf = <T>(name: string, value: T | null | undefined): [string, T][] =>
  value === null || value === undefined ? [] : [[name, value]]

function choiceIn<T extends string>(query: URLSearchParams, name: string, all: readonly T[]): T | undefined {
  const given = query.get(name)
  if (given === null) return undefined
  const choice = all.find((one) => one === given)
  if (!choice) throw new HttpRefusal(400, `"${name}" must be one of ${all.join(', ')}`)
  return choice
}

async function* following({ control: { store }, query, lastEventId, signal }: RouteRequest): AsyncGenerator<string> {
  const after = lastEventId && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : queryNumber(query, 'after')
  for await (const page of store.audit.follow(after ?? store.audit.head?.sequence ?? 0, signal))
    yield page.map((entry) => serverSentEvent({ id: String(entry.sequence), event: 'record', data: entry })).join('')
}
