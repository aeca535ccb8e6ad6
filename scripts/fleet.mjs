// Tests the state that replicas share (tests), then runs three replicas under load with faults (faults).
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const run = (script, args, env = {}) =>
  spawnSync(process.execPath, [join(root, script), ...args], { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } })
    .status ?? 1

const [first = '', ...others] = process.argv.slice(2)
const isHelp = process.argv.includes('--help')
const part = ['tests', 'faults'].includes(first) ? first : undefined
const options = part ? others : process.argv.slice(2)

const failed =
  run('scripts/prepare.mjs', []) ||
  (part !== 'faults' && !isHelp && run('node_modules/vitest/vitest.mjs', ['run', '--maxWorkers=3'], { FLEET: '1' })) ||
  ((part !== 'tests' || isHelp) && run('fleet/dist/run.js', options))
process.exit(failed || 0)
