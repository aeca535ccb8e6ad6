// The first minutes of a new user: packs the packages, installs them in an empty folder, and follows the README there. Prints a time for
// each step; the first failure ends the run.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const published = ['filesystem', 'memory', 'everything', 'sequential-thinking']
/** The config file of each host, relative to the home folder, and the key of its servers. */
const hosts = {
  'claude-desktop': ['.config/Claude/claude_desktop_config.json', 'mcpServers'],
  'claude-code': ['.claude.json', 'mcpServers'],
  cursor: ['.cursor/mcp.json', 'mcpServers'],
  vscode: ['.config/Code/User/mcp.json', 'servers'],
  codex: ['.codex/config.toml', undefined],
  gemini: ['.gemini/settings.json', 'mcpServers'],
  windsurf: ['.codeium/windsurf/mcp_config.json', 'mcpServers'],
}
const patienceMs = 60_000

const room = mkdtempSync(join(tmpdir(), 'toolwire-first-'))
const home = join(room, 'home')
const project = join(room, 'project')
const program = join(project, 'node_modules/.bin/toolwire')
/** Only the npm cache is shared with the user's home; nothing else of it is visible. */
const env = { PATH: process.env.PATH, HOME: home, TERM: 'dumb', TOOLWIRE_CONSOLE_PORT: '0' }
const ends = []
const startedAt = performance.now()

try {
  await firstMinutes()
  console.log(`first minutes: done in ${seconds(startedAt)}`)
} catch (thrown) {
  console.error(thrown.message)
  console.log(`first minutes: FAILED after ${seconds(startedAt)}`)
  process.exitCode = 1
} finally {
  for (const end of ends.reverse()) await end()
  rmSync(room, { recursive: true, force: true })
}

async function firstMinutes() {
  for (const folder of [home, project, join(project, 'notes')]) mkdirSync(folder)
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  writeFileSync(join(project, 'notes/today.txt'), 'Buy a mug')

  const tarballs = await step('npm pack', async () => [await pack('toolwire'), await pack('check'), await pack('gateway')])
  await step('npm install, with four published servers', () => install(tarballs))
  await step('the server of the README, called over stdio', readmeServer)
  await step('up without a config: the example shop, and a call', examples)
  await step('add four servers, and set a limit', addServers)
  const gateway = await step('up: four servers ready', () => up(join(project, 'mcp.json')))
  const toolwire = (...words) => run([program, ...words], { TOOLWIRE_URL: gateway.url })
  await step('list', async () => {
    const tools = JSON.parse(await toolwire('list', '--json'))
    for (const server of published) expect(JSON.stringify(tools), `"${server}__`)
  })
  await step('a read, which needs no approval', async () =>
    expect(await toolwire('call', 'filesystem__read_text_file', `path=${join(project, 'notes/today.txt')}`), 'Buy a mug'),
  )
  await step('a write, approved from a second terminal', () => write(toolwire))
  await step('audit verify', async () => expect(await toolwire('audit', 'verify'), 'The log is intact'))
  await step('keys create', async () => expect(await toolwire('keys', 'create', 'nightly'), '_'))
  for (const host of Object.keys(hosts))
    await step(`connect ${host}, its entry started from /, and a call`, async () => {
      await toolwire('connect', host)
      await callThrough(entryOf(host))
    })
  await step('the entry of a host while no gateway runs', async () => {
    await gateway.stop()
    await callThrough(entryOf('claude-desktop'), { TOOLWIRE_PORT: '0' })
  })
}

async function step(name, work) {
  const from = performance.now()
  try {
    const made = await work()
    console.log(`${seconds(from).padStart(7)}  ${name}`)
    return made
  } catch (thrown) {
    throw new Error(`${name}: FAILED\n${thrown.message}`, { cause: thrown })
  }
}

async function pack(name) {
  const [{ filename }] = JSON.parse(await npm(['pack', '--json', '--pack-destination', room], join(root, 'packages', name)))
  return join(room, filename)
}

/** Installs the versions of the workspace, so that npm finds them in its cache. */
function install(tarballs) {
  const names = [...published.map((name) => `@modelcontextprotocol/server-${name}`), 'zod']
  const pinned = names.map((name) => `${name}@${devDependencies[name]}`)
  return npm(['install', '--prefer-offline', '--no-audit', '--no-fund', ...tarballs, ...pinned], project)
}

/** Runs the files of the README unchanged in Node, without a build. */
async function readmeServer() {
  const files = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/^```ts[^\n]*\n(\/\/ ([\w-]+\.js)\n[\s\S]*?)^```/gm)]
  for (const [, code, name] of files) writeFileSync(join(project, name), code)
  for (const name of ['app.js', 'stdio.js'])
    if (!existsSync(join(project, name))) throw new Error(`The README has no code that begins with // ${name}`)
  expect(await run([process.execPath, join(project, 'test.js')]), '{ left: 12 }')
  await withClient({ command: process.execPath, args: [join(project, 'stdio.js')] }, {}, async (client) => {
    const result = await client.callTool({ name: 'count', arguments: { item: 'mug' } })
    expect(JSON.stringify(result), '"left":12')
  })
}

async function examples() {
  const gateway = await up()
  expect(await run([program, 'call', 'shop__search', 'query=mug'], { TOOLWIRE_URL: gateway.url }), '"id": "mug"')
  await gateway.stop()
}

async function addServers() {
  const bin = (name) => join('node_modules/.bin', `mcp-server-${name}`)
  writeFileSync(join(project, 'mcp.json'), '{\n  // my servers\n  "mcpServers": {}\n}\n')
  await run([program, 'add', 'filesystem', '--', bin('filesystem'), 'notes'])
  await run([program, 'add', 'memory', '--env', `MEMORY_FILE_PATH=${join(project, 'memory.jsonl')}`, '--', bin('memory')])
  for (const name of published.slice(2)) await run([program, 'add', name, '--', bin(name)])
  await run([program, 'set', 'guard.rate', '{"calls":120,"burst":40,"per":"minute"}'])
  expect(readFileSync(join(project, 'mcp.json'), 'utf8'), '// my servers')
}

/** Starts the gateway, and waits until all of its servers are ready. */
async function up(...config) {
  const child = spawn(program, ['up', ...config, '--json', '--port', '0'], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (piece) => {
    said += piece
  })
  const ended = once(child, 'exit')
  const stop = async () => {
    child.kill()
    await ended
  }
  ends.push(stop)
  const first = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([line]) => line),
    ended.then(() => undefined),
  ])
  if (first === undefined) throw new Error(`The gateway has ended:\n${said}`)
  const url = new URL(JSON.parse(first).url).origin
  await until(async () => {
    const { servers } = JSON.parse(await run([program, 'status', '--json'], { TOOLWIRE_URL: url }))
    return servers.length > 0 && servers.every(({ state }) => state === 'ready')
  }, `All servers ready:\n${said}`)
  return { url, stop }
}

async function write(toolwire) {
  const path = join(project, 'notes/new.txt')
  const calling = toolwire('call', 'filesystem__write_file', `path=${path}`, 'content=Bought', '--yes')
  calling.catch(() => undefined) // awaited below, after the approval
  const id = await until(async () => JSON.parse(await toolwire('pending', '--json')).approvals?.[0]?.id, 'A call waits')
  if (existsSync(path)) throw new Error('The file was written before the call was approved')
  await toolwire('approve', id)
  await calling
  expect(readFileSync(path, 'utf8'), 'Bought')
}

function entryOf(host) {
  const [file, key] = hosts[host]
  const text = readFileSync(join(home, file), 'utf8')
  if (key !== undefined) return JSON.parse(text)[key].toolwire
  // Strings and lists of strings have the same syntax in TOML and JSON.
  const value = (name) => JSON.parse(new RegExp(`^${name} = (.*)$`, 'm').exec(text)?.[1] ?? 'null')
  return { command: value('command'), args: value('args') }
}

/** Starts the program as a desktop host does: from the root folder, with a short PATH. */
async function callThrough(entry, more = {}) {
  await withClient(entry, { PATH: '/usr/bin:/bin', ...more }, async (client) => {
    await until(
      async () => (await client.listTools()).tools.some(({ name }) => name.startsWith('filesystem__')),
      'Its tools are listed',
    )
    const result = await client.callTool({ name: 'filesystem__list_directory', arguments: { path: join(project, 'notes') } })
    expect(JSON.stringify(result), 'today.txt')
  })
}

async function withClient({ command, args }, more, use) {
  const transport = new StdioClientTransport({ command, args, cwd: '/', env: { ...env, ...more }, stderr: 'pipe' })
  let said = ''
  transport.stderr?.on('data', (piece) => {
    said += piece
  })
  const client = new Client({ name: 'first-minutes', version: '1.0.0' })
  try {
    await client.connect(transport)
    await use(client)
  } catch (thrown) {
    throw new Error(`${thrown.message}\n${said}`, { cause: thrown })
  } finally {
    await client.close()
  }
}

/** Uses the user's npm cache and registry, and writes nothing to their home. */
function npm(args, cwd) {
  return run(['npm', ...args], { ...process.env, HOME: process.env.HOME ?? homedir() }, { cwd, timeout: 3 * patienceMs })
}

/** The stdout of a command; if it fails, throws an error with all of its output. */
async function run([command, ...args], more = {}, { cwd = project, timeout = patienceMs } = {}) {
  const child = spawn(command, args, { cwd, env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'], timeout })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (piece) => {
    stdout += piece
  })
  child.stderr.on('data', (piece) => {
    stderr += piece
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code ?? 'a timeout'}:\n${stdout}${stderr}`)
  return stdout
}

async function until(look, what) {
  for (const end = performance.now() + patienceMs; ; ) {
    const found = await look()
    if (found) return found
    if (performance.now() > end) throw new Error(`Timed out while waiting for: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

function expect(text, wanted) {
  if (!text.includes(wanted)) throw new Error(`Expected ${JSON.stringify(wanted)}, got:\n${text}`)
}

function seconds(from) {
  return `${((performance.now() - from) / 1_000).toFixed(1)} s`
}
