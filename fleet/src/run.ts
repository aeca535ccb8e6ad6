// Runs replicas behind one address under load, with faults; then checks the history for violations.
import { postgresServer } from '../../packages/toolwire/test/postgres-server.js'
import type { Violation } from './checker/violation.js'
import { faults as allFaults } from './faults/faults.js'
import { planFor } from './faults/plan.js'
import { readOptions, usage } from './options.js'
import { runConformance } from './run-conformance.js'
import { runOnce } from './run-once.js'
import { tableOf } from './table.js'

if (process.argv.includes('--help')) {
  console.log(`${usage}

Faults: ${allFaults.map(({ name }) => name).join(', ')}`)
  process.exit(0)
}

const options = readOptions(process.argv.slice(2))
const postgres = options.store === 'postgres' ? await postgresServer(['fsync=on', 'max_connections=60']) : undefined
const known = allFaults.filter(({ needsPostgres }) => postgres !== undefined || !needsPostgres)
const unknown = options.only.filter((name) => !known.some((fault) => fault.name === name))
if (unknown.length > 0)
  throw new Error(`Unknown fault: ${unknown.join(', ')}. Known faults: ${known.map(({ name }) => name).join(', ')}`)
const faults = options.only.length === 0 ? known : known.filter(({ name }) => options.only.includes(name))

console.log(`seed ${options.seed}, ${options.replicas} replicas, ${options.store}`)
const found = new Map<string, (readonly Violation[])[]>()
let failed = 0
for (let run = 0; run < options.runs; run++) {
  const plan = planFor(run, { seed: options.seed, faults, each: Math.min(options.each, faults.length) })
  const names = plan.map(({ name }) => name)
  const seed = options.seed + run
  const result = await runOnce({ seed, replicas: options.replicas, postgres, faults: plan, keep: options.keep })
  for (const name of new Set(names)) found.set(name, [...(found.get(name) ?? []), result.violations])
  const how = result.violations.length === 0 ? 'ok' : `${result.violations.length} violations`
  console.log(
    `run ${run + 1}: ${names.join(', ')}${result.hasPooler ? ', through PgBouncer' : ''}: ${result.done} of ${result.calls} calls done in ${result.seconds.toFixed(1)} s: ${how}`,
  )
  if (result.violations.length > 0) failed++
  if (result.file === undefined) continue
  for (const { invariant, text } of result.violations.slice(0, 10)) console.log(`  ${invariant}: ${text}`)
  console.log(
    `  The history is in ${result.file}. To repeat these faults: --seed ${seed} --runs 1 ${names.map((name) => `--only ${name}`).join(' ')}`,
  )
}
console.log(`\n${tableOf(faults.map(({ name, what }) => ({ name, what, runs: found.get(name) ?? [] })))}`)
const conforms = !options.conformance || (await runConformance(options.replicas, postgres))
await postgres?.close()
process.exit(failed > 0 || !conforms ? 1 : 0)
