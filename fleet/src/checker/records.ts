import { createHmac } from 'node:crypto'
import { eventsOf, type History } from '../history.js'
import { countBy, type Violation } from './violation.js'

type AuditText = {
  readonly kind?: string
  readonly id?: string
  readonly outcome?: string
  readonly arguments?: { readonly hmac?: string }
}

/** An executed call has an intent record; one with a successful result also has an outcome record. Each record exists once. */
export function checkRecords(history: History): Violation[] {
  const key = Buffer.from(eventsOf(history, 'digest-key')[0]?.key ?? '', 'hex')
  const digestOf = (call: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify({ id: call }))
      .digest('hex')
  const records = eventsOf(history, 'audit').map(({ text }) => JSON.parse(text) as AuditText) // checked by its hash elsewhere
  const digests = new Map(records.flatMap(({ kind, id, arguments: given }) => (kind === 'intent' ? [[id, given?.hmac]] : [])))
  const intended = new Set(digests.values())
  const ended = new Set(
    records.flatMap(({ kind, id, outcome }) => (kind === 'outcome' && outcome === 'ok' ? [digests.get(id)] : [])),
  )
  const executed = eventsOf(history, 'executed').filter(({ call }) => !intended.has(digestOf(call)))
  const done = eventsOf(history, 'answered').filter(({ how, call }) => how === 'done' && !ended.has(digestOf(call)))
  const ofCalls = records.filter(({ kind }) => kind === 'intent' || kind === 'outcome')
  const twice = [...countBy(ofCalls, ({ kind, id }) => `${kind} of ${id}`)].filter(([, times]) => times > 1)
  const texts = [
    ...executed.map(({ call }) => `${call} was executed and has no intent`),
    ...done.map(({ call }) => `${call} was answered and has no outcome`),
    ...twice.map(([record, times]) => `the ${record} was written ${times} times`),
  ]
  return texts.map((text) => ({ invariant: 'records', text }))
}
