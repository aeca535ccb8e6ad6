// usage: npm run soak [-- short] [files]: runs the tests with all repetitions, and those that depend on the speed of the machine.
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const isShort = process.argv[2] === 'short'
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const { status } = spawnSync(process.execPath, [vitest, 'run', ...process.argv.slice(isShort ? 3 : 2)], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, SOAK: isShort ? 'short' : 'long' },
})
if (isShort || process.argv.length > 2) process.exit(status ?? 1)
// Two hundred runs of replicas with faults.
const fleet = spawnSync(process.execPath, [join(root, 'fleet/dist/run.js'), '--runs', '200'], { cwd: root, stdio: 'inherit' })
process.exit(status || (fleet.status ?? 1))
