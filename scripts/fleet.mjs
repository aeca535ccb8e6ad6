// Tests the state that replicas share (tests), then runs three replicas under load with faults (faults).
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const run = (script, args, env = {}) =>
  spawnSync(process.execPath, [join(root, script), ...args], { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } })
    .status ?? 1

const usage = `usage: npm run fleet [-- [tests|faults] [options]]
Tests the state that replicas share (tests), then runs three replicas under load with faults (faults).

Options of the faults:
  --runs N                    5 unless given
  --seed N                    repeats the faults of an earlier run
  --only FAULT                only this fault; may be given several times
  --each N                    faults of a run; 2 unless given
  --replicas N                3 unless given
  --store postgres|sqlite     sqlite tests the harness itself, with one replica
  --conformance               also runs the official conformance suite against all replicas
  --keep                      keeps the history of each run, not only of failed ones`

const [first = '', ...others] = process.argv.slice(2)
if (process.argv.includes('--help')) {
  console.log(usage)
  process.exit(0)
}
const part = ['tests', 'faults'].includes(first) ? first : undefined
const options = part ? others : process.argv.slice(2)

const failed =
  run('scripts/prepare.mjs', []) ||
  (part !== 'faults' && run('node_modules/vitest/vitest.mjs', ['run', '--maxWorkers=3'], { FLEET: '1' })) ||
  (part !== 'tests' && run('fleet/dist/run.js', options))
process.exit(failed || 0)
