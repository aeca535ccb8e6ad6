// Collects the results for the table that `npm run matrix` prints.
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type CheckName, checks } from './checks.js'
import { type GapName, gaps } from './gaps.js'
import { callers, type Side, servers, transports, unspoken } from './revisions.js'

export type Outcome = 'ok' | 'failed' | GapName
const folder = fileURLToPath(new URL('../../../../.cache/', import.meta.url))
const cells: { caller: string; server: string; checks: Partial<Record<CheckName, Outcome>> }[] = []

export function cellOutcome(caller: Side, server: Side): Partial<Record<CheckName, Outcome>> {
  const outcome = {}
  cells.push({ caller: caller.name, server: server.name, checks: outcome })
  return outcome
}

export function writeOutcomes(): void {
  const sides = (all: readonly Side[]) => all.map(({ name, label }) => ({ name, label }))
  const reasons = Object.entries(gaps).map(([name, { reason, page }]) => ({ name, reason, page }))
  const table = {
    callers: sides(callers),
    servers: sides(servers),
    transports,
    unspoken,
    checks: Object.keys(checks),
    gaps: reasons,
    cells,
  }
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}matrix.json`, JSON.stringify(table, null, 2))
}
