import { createHash } from 'node:crypto'
import { type AuditRow, eventsOf, type History } from '../history.js'
import type { Violation } from './violation.js'

/** Each stream is a chain without gaps, and holds what was signed of it. */
export function checkChains(history: History): Violation[] {
  const streams = new Map<string, AuditRow[]>()
  for (const row of eventsOf(history, 'audit')) streams.set(row.stream, [...(streams.get(row.stream) ?? []), row])
  const broken = [...streams].flatMap(([stream, rows]) => firstFault(stream, rows))
  return [...broken, ...checkpointFaults(history, streams)].map((text) => ({ invariant: 'chains', text }))
}

function firstFault(stream: string, rows: readonly AuditRow[]): string[] {
  let last: AuditRow | undefined
  for (const row of [...rows].sort((a, b) => a.sequence - b.sequence)) {
    const at = `${stream} #${row.sequence}`
    if (row.sequence !== (last?.sequence ?? 0) + 1) return [`${at} does not follow #${last?.sequence ?? 0}`]
    if (createHash('sha256').update(row.text).digest('hex') !== row.hash) return [`${at} is not what was hashed`]
    const said = JSON.parse(row.text) as { sequence?: number; previous?: string | null }
    if (said.sequence !== row.sequence) return [`${at} calls itself #${said.sequence}`]
    if ((said.previous ?? null) !== (last?.hash ?? null)) return [`${at} names another record before it`]
    last = row
  }
  return []
}

function checkpointFaults(history: History, streams: ReadonlyMap<string, readonly AuditRow[]>): string[] {
  return eventsOf(history, 'checkpoint').flatMap(({ stream, sequence, hash, isSigned }) => {
    const at = `the checkpoint of ${stream} at #${sequence}`
    if (!isSigned) return [`${at} has no valid signature`]
    const row = streams.get(stream)?.find((one) => one.sequence === sequence)
    if (!row) return [`${at} has no record`]
    return row.hash === hash ? [] : [`${at} has another hash`]
  })
}
