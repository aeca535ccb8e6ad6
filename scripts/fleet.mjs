// usage: npm run fleet [-- options of fleet/src/options.ts]: tests what replicas share, then runs three of them under load and breaks them.
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const run = (script, args, env = {}) =>
  spawnSync(process.execPath, [join(root, script), ...args], { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } })
    .status ?? 1

const failed =
  run('scripts/prepare.mjs', []) ||
  run('node_modules/vitest/vitest.mjs', ['run', '--maxWorkers=3'], { FLEET: '1' }) ||
  run('fleet/dist/run.js', process.argv.slice(2))
process.exit(failed)
