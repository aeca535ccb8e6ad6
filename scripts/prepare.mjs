// Installs missing packages and builds, so that a fresh clone needs only `npm start` or `npm test`. Prints to stderr: the output of
// `npm run bench -- --json` is JSON alone.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) stop(`Toolwire needs Node 20.19 or newer; this is ${process.versions.node}.`)

const reason = whyInstall()
if (reason) {
  console.error(`${reason}: installing with npm ci`)
  run('npm', ['ci', '--loglevel=error'])
}
run(process.execPath, [join(root, 'scripts/build.mjs')])
// npm links no program that was not built yet when it installed.
if (!existsSync(join(root, 'node_modules/.bin', process.platform === 'win32' ? 'toolwire.cmd' : 'toolwire')))
  run('npm', ['rebuild', '--ignore-scripts', '--offline', '--loglevel=error', '@toolwire/gateway'])

function whyInstall() {
  const installed = packagesOf('node_modules/.package-lock.json')
  if (!installed) return 'node_modules is missing'
  const wanted = Object.entries(packagesOf('package-lock.json') ?? {})
  // Optional and peer packages may be absent on this platform.
  const stale = wanted.some(([path, entry]) => {
    const found = installed[path]
    return found ? found.version !== entry.version : path !== '' && !entry.optional && !entry.peer
  })
  return stale ? 'node_modules is older than package-lock.json' : undefined
}

function packagesOf(file) {
  const path = join(root, file)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : undefined
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: ['inherit', 2, 2],
    shell: command === 'npm' && process.platform === 'win32',
  })
  if (error) stop(`${command} could not be started: ${error.message}`)
  if (status !== 0) process.exit(status ?? 1)
}

function stop(sentence) {
  console.error(sentence)
  process.exit(1)
}
