// The entries of `connect` are started as the hosts do it: from /, with a short PATH, by an MCP client over stdio.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text contains a variable of a config
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eachNth } from '../../../toolwire/test/soak.js'
import { localTokenFor } from '../../src/cli/api/local-token.js'
import { readJsonc } from '../../src/config/documents/jsonc.js'
import { readToml } from '../../src/config/documents/toml.js'
import { type HostId, hostIds, hosts } from '../../src/config/index.js'
import { newManagementToken, writeManagementToken } from '../../src/store/management-token.js'
import { commandHere } from '../support/command-here.js'
import { inTerminal, keys } from '../support/pseudo-terminal.js'
import { folder, program, shop, toolwire, until } from '../support/run-program.js'

const shopEntry = { command: shop[1], args: shop.slice(2) }
const settings = { servers: { shop: { trusted: true } }, guard: { rate: false } }
const config = JSON.stringify({ mcpServers: { shop: shopEntry }, toolwire: settings })

/** A home directory with a project for one test. */
function home(files: { readonly [name: string]: string } = {}) {
  const at = folder()
  onTestFinished(() => at[Symbol.dispose]())
  for (const [name, text] of Object.entries({ 'work/.keep': '', ...files })) {
    mkdirSync(dirname(`${at.path}/${name}`), { recursive: true })
    writeFileSync(`${at.path}/${name}`, text)
  }
  const env = { PATH: process.env.PATH, HOME: at.path, TERM: 'xterm', TOOLWIRE_CONSOLE_PORT: '0' }
  const cwd = `${at.path}/work`
  const run = (...words: string[]) => toolwire(words, { env: { ...env, TOOLWIRE_PORT: '9' }, cwd })
  return { path: at.path, work: cwd, env, cwd, run, read: (name: string) => readFileSync(`${at.path}/${name}`, 'utf8') }
}

type Home = ReturnType<typeof home>

async function gateway(at: Home, words: readonly string[] = ['mcp.json'], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [program, 'up', ...words, '--json', '--port', '0'], {
    cwd: at.work,
    env: { ...at.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stderr: string[] = []
  child.stderr.on('data', (piece) => stderr.push(String(piece)))
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill()
    await ended
  })
  const first = await Promise.race([once(createInterface(child.stdout), 'line'), ended.then(() => [''])])
  if (first[0] === '') throw new Error(`The gateway has ended: ${stderr.join('')}`)
  const url = new URL(JSON.parse(String(first[0])).url).origin
  await until(async () => {
    const token = env.TOOLWIRE_API_KEY ?? localTokenFor(url, { ...at.env, ...env })?.token
    const answer = await fetch(`${url}/api/v1/servers`, { headers: { authorization: `Bearer ${token}` } })
    const { servers } = (await answer.json()) as { servers: { state: string }[] }
    return servers.every(({ state }) => state === 'ready')
  })
  return { url, pid: child.pid, connect: (...more: string[]) => at.run('connect', ...more, '--gateway', url, '--json') }
}

type Entry = { readonly command: string; readonly args: readonly string[] }

function entryIn(at: Home, id: HostId): Entry {
  const host = hosts.find((one) => one.id === id)
  if (!host) throw new Error(`no ${id}`)
  const text = readFileSync(host.user({ env: at.env, home: at.path, platform: process.platform, cwd: '/' }), 'utf8')
  const { value } = id === 'codex' ? readToml(text) : readJsonc(text)
  return (value[host.key] as unknown as { toolwire: Entry }).toolwire // the entry that connect has written
}

/** Starts the command as a graphical host does: from the root, without the shell's environment. */
async function started({ command, args }: Entry, at: Home, more: { readonly [name: string]: string } = {}) {
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    cwd: '/',
    env: { HOME: at.path, PATH: '/usr/bin:/bin', TOOLWIRE_CONSOLE_PORT: '0', ...more },
    stderr: 'pipe',
  })
  const stderr: string[] = []
  transport.stderr?.on('data', (chunk: Buffer) => stderr.push(String(chunk)))
  const client = new Client({ name: 'host', version: '1.0.0' })
  onTestFinished(() => client.close())
  try {
    await client.connect(transport)
    await until(async () => (await client.listTools()).tools.length > 0, 60_000, 1_000)
  } catch (thrown) {
    throw new Error(`The host cannot use the entry: ${stderr.join('')}`, { cause: thrown })
  }
  const { content } = await client.callTool({ name: 'shop__search', arguments: { query: 'mug' } })
  return { client, text: JSON.stringify(content), stderr: () => stderr.join('') }
}

describe('the entry of connect', () => {
  it('connects every known host to the running gateway, started from / with a short PATH', async () => {
    const at = home({ 'work/mcp.json': config })
    const { connect, pid } = await gateway(at)
    for (const id of eachNth(hostIds, 4)) {
      const { code, stderr } = await connect(id)
      expect([id, code, stderr]).toEqual([id, 0, ''])
      const entry = entryIn(at, id)
      expect([entry.command, entry.args[0]].filter((word) => !word?.startsWith('/'))).toEqual([])
      const host = await started(entry, at)
      expect(host.text).toContain('mug')
      expect(host.stderr()).toContain(`process ${pid} uses the data directory`)
      await host.client.close()
    }
  })

  it('starts the gateway itself if none runs, with the config, policy and data directory of the last one', async () => {
    const deny =
      'rules:\n  - name: no restocking\n    when: { tool: shop__restock }\n    decision: deny\n  - name: rest\n    decision: allow\n'
    const at = home({ 'work/mcp.json': config, 'work/policy.yaml': deny })
    const running = await gateway(at, ['mcp.json', '--policy', 'policy.yaml', '--data-dir', 'data'])
    await running.connect('claude-desktop')
    const { args } = entryIn(at, 'claude-desktop')
    expect(args.slice(1, 8)).toEqual([
      ...['up', '--stdio', `${at.work}/mcp.json`],
      ...['--data-dir', `${at.work}/data`, '--policy', `${at.work}/policy.yaml`],
    ])
    process.kill(running.pid ?? 0)
    await until(() => !existsSync(`${at.work}/data/toolwire.pid`))
    const host = await started({ command: process.execPath, args: [...args, '--port', '0'] }, at)
    expect(host.text).toContain('mug')
    expect(host.stderr()).toContain('The gateway listens at')
    const denied = await host.client.callTool({ name: 'shop__restock', arguments: {} }).catch(String)
    expect(JSON.stringify(denied)).toContain('Unknown tool: shop__restock')
  })

  it('resolves server paths from the folder of the config, whatever folder the host uses', async () => {
    const mcpServers = { shop: { command: 'node', args: ['./shop.mjs', '--stdio'] } }
    const at = home({
      'work/mcp.json': JSON.stringify({ mcpServers, toolwire: settings }),
      'work/shop.mjs': `await import(${JSON.stringify(shop[2])})`,
    })
    expect((await at.run('connect', 'claude-desktop')).stderr).toContain('work/mcp.json was found, not named')
    expect((await at.run('trust')).code).toBe(0)
    const { command, args } = entryIn(at, 'claude-desktop')
    expect(args).toContain('--as-found')
    expect((await started({ command, args: [...args, '--port', '0'] }, at)).text).toContain('mug')
  })

  it('joins a gateway whose config has variables that the host does not set', async () => {
    const entry = { ...shopEntry, env: { SHOP_TOKEN: '${SHOP_TOKEN}' } }
    const at = home({ 'work/mcp.json': JSON.stringify({ mcpServers: { shop: entry }, toolwire: settings }) })
    const { connect } = await gateway(at, ['mcp.json'], { SHOP_TOKEN: 'of-the-shell' })
    await connect('claude-desktop')
    expect((await started(entryIn(at, 'claude-desktop'), at)).text).toContain('mug')
  })

  it('is a bridge to the address of a gateway without a config, which serves its examples', async () => {
    const at = home()
    const { connect, url } = await gateway(at, [])
    expect(JSON.parse((await connect('claude-desktop')).stdout)).toMatchObject({ changed: true, gateway: url })
    const entry = entryIn(at, 'claude-desktop')
    expect(entry.args.slice(1)).toEqual(['bridge', '--gateway', url])
    const { text, client } = await started(entry, at)
    expect(text).toContain('mug')
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('shop__restock')
    await connect('vscode', '--stdio')
    expect((await started(entryIn(at, 'vscode'), at)).text).toContain('mug')
    await connect('cursor')
    expect(entryIn(at, 'cursor')).toEqual({ url: `${url}/mcp` })
  })

  it('is a bridge to one set, with the key of the gateway', async () => {
    const toolwire = { ...settings, callers: { loopback: false, apiKeys: true }, sets: { readers: ['shop__search'] } }
    const at = home({ 'work/mcp.json': JSON.stringify({ mcpServers: { shop: shopEntry }, toolwire }) })
    const key = 'of-the-gateway-Zr4mQ8vK2sXw6TnB9cLd'
    const { connect } = await gateway(at, ['mcp.json'], { TOOLWIRE_API_KEY: key })
    await connect('claude-desktop', '--set', 'readers')
    const { client } = await started(entryIn(at, 'claude-desktop'), at, { TOOLWIRE_API_KEY: key })
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['shop__search'])
  })

  it('is not written without a gateway or a config, and the error says how to get one', async () => {
    const at = home()
    const { code, stderr } = await at.run('connect', 'cursor')
    expect([code, stderr]).toEqual([2, expect.stringMatching(/no config to connect to.*toolwire add/)])
    expect(existsSync(`${at.path}/.cursor`)).toBe(false)
  })

  it("uses the files of this account's gateway, never the answer of another program at its port", async () => {
    const at = home({ 'work/mcp.json': config, 'strange/mcp.json': config, 'own/mcp.json': config })
    const strange = { source: `${at.path}/strange/mcp.json`, dataDir: `${at.path}/strange/data`, policy: `${at.path}/allow.yaml` }
    const listener = createServer((_, answer) => answer.end(JSON.stringify({ config: strange }))).listen(0, '127.0.0.1')
    onTestFinished(() => void listener.close())
    await once(listener, 'listening')
    const { port } = listener.address() as AddressInfo
    const connect = async (more: NodeJS.ProcessEnv = {}) => {
      const env = { ...at.env, TOOLWIRE_PORT: String(port), ...more }
      const { code } = await commandHere(['connect', 'cursor'], { env, cwd: at.work })
      return [code, ...entryIn(at, 'cursor').args.slice(3)]
    }
    const foundHere = [0, `${at.work}/mcp.json`, '--port', String(port), '--as-found']
    expect(await connect()).toEqual(foundHere)
    expect(await connect({ TOOLWIRE_API_KEY: 'of-the-gateway-Zr4mQ8vK2sXw6TnB9cLd' })).toEqual(foundHere)
    const own = { token: newManagementToken(), origin: `http://127.0.0.1:${port}` }
    const dataDir = `${at.path}/.local/share/toolwire`
    writeManagementToken(dataDir, own)
    expect(await connect()).toEqual(foundHere)
    writeManagementToken(dataDir, { ...own, places: { source: `${at.path}/own/mcp.json`, found: false, dataDir, port } })
    expect(await connect()).toEqual([0, `${at.path}/own/mcp.json`, '--port', String(port)])
  })

  it('is not written while the gateway of this account does not answer', async () => {
    const at = home({ 'work/mcp.json': config, 'own/mcp.json': config })
    const silent = createServer(() => undefined).listen(0, '127.0.0.1')
    onTestFinished(() => void silent.close())
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const origin = `http://127.0.0.1:${port}`
    const dataDir = `${at.path}/.local/share/toolwire`
    const places = { source: `${at.path}/own/mcp.json`, found: false, dataDir, port }
    writeManagementToken(dataDir, { token: newManagementToken(), origin, places })
    const connect = () => commandHere(['connect', 'cursor'], { env: { ...at.env, TOOLWIRE_PORT: String(port) }, cwd: at.work })
    expect(await connect()).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringContaining(`The gateway at ${origin} does not answer within 10 seconds. Try again`),
    })
    expect(existsSync(`${at.path}/.cursor`)).toBe(false)
    silent.closeAllConnections()
    await new Promise((resolve) => silent.close(resolve))
    expect((await connect()).code).toBe(0)
    expect(entryIn(at, 'cursor').args).toContain(`${at.work}/mcp.json`)
  })

  it("never uses the host's own file, which the running gateway has found in the home folder", async () => {
    const text = JSON.stringify({ mcpServers: { shop: shopEntry } })
    const at = home({ '.cursor/mcp.json': text })
    const { connect } = await gateway(at, [`${at.path}/.cursor/mcp.json`])
    expect(await connect('cursor')).toMatchObject({ code: 2, stderr: expect.stringContaining('one of its own servers') })
    expect(at.read('.cursor/mcp.json')).toBe(text)
  })

  it("never uses the host's own file, found from the home folder", async () => {
    const at = home({ '.cursor/mcp.json': '{ "mcpServers": { "shop": { "command": "shop" } } }' })
    const { code } = await toolwire(['connect', 'cursor'], { env: { ...at.env, TOOLWIRE_PORT: '9' }, cwd: at.path })
    expect([code, readJsonc(at.read('.cursor/mcp.json')).value]).toEqual([2, { mcpServers: { shop: { command: 'shop' } } }])
  })
})

const cursor = `{
  // mine
  "mcpServers": {
    // about the shop
    "shop": ${JSON.stringify(shopEntry)}, // after it
    "notes": { "command": "notes", "env": { "API_KEY": "s3cr3t-of-mine" } }
  },
  "other": [1, 2] // to the end
}
`

describe('moving the servers of a host', () => {
  it("moves them from the host's file to the gateway's config, keeps comments, and backs up both files", async () => {
    const own = '{\n  // the gateway\n  "mcpServers": {}\n}\n'
    const at = home({ '.cursor/mcp.json': cursor, 'work/mcp.json': own })
    const { code, stdout } = await at.run('connect', 'cursor', '--move', '--json')
    const { moved, backup, configBackup, diff } = JSON.parse(stdout)
    expect([code, moved]).toEqual([0, ['shop', 'notes']])
    expect(diff).not.toContain('s3cr3t')
    expect([readFileSync(backup, 'utf8'), readFileSync(configBackup, 'utf8')]).toEqual([cursor, own])
    const after = at.read('.cursor/mcp.json')
    expect(after.match(/\/\/ .*/g)).toEqual(['// mine', '// about the shop', '// after it', '// to the end'])
    expect(Object.keys(readJsonc(after).value.mcpServers ?? {})).toEqual(['toolwire'])
    expect(at.read('work/mcp.json')).toContain('// the gateway')
    expect(readJsonc(at.read('work/mcp.json')).value).toEqual({
      mcpServers: { shop: shopEntry, notes: { command: 'notes', env: { API_KEY: 's3cr3t-of-mine' } } },
    })
  })

  it('creates the first config of a user, and the moved servers reach the host through the gateway', async () => {
    const at = home({ '.cursor/mcp.json': `{ "mcpServers": { "shop": ${JSON.stringify(shopEntry)} } }` })
    expect((await at.run('connect', 'cursor', '--move')).code).toBe(0)
    expect(existsSync(`${at.path}/.config/toolwire/mcp.json`)).toBe(true)
    const { command, args } = entryIn(at, 'cursor')
    // The moved server is untrusted, so its call may wait for approval.
    expect((await started({ command, args: [...args, '--port', '0'] }, at)).text).toMatch(/mug|waits for approval/)
  })

  it('leaves servers that cannot move, with the reason', async () => {
    const at = home({
      '.codex/config.toml':
        '# top\nmodel = "o3"\n\n[mcp_servers.shop]\ncommand = "other"\n\n[mcp_servers.notes]\ncommand = "notes"\n[mcp_servers.notes.env]\nA = "1"\n\n# about x\n[x]\ny = 1 # yes\n',
      'work/mcp.json': config,
    })
    const { moved, kept } = JSON.parse((await at.run('connect', 'codex', '--move', '--json')).stdout)
    expect([moved, kept]).toEqual([['notes'], ['shop']])
    const after = at.read('.codex/config.toml')
    expect(after).toMatch(/^# top\nmodel = "o3"\n\n\[mcp_servers\.shop\]\ncommand = "other"\n\n+# about x\n\[x\]\ny = 1 # yes\n/)
    expect(Object.keys(readToml(after).value.mcp_servers ?? {}).sort()).toEqual(['shop', 'toolwire'])
  })

  it("writes neither file in a dry run, nor if the host's file cannot be written", async () => {
    const at = home({
      '.cursor/mcp.json': cursor,
      '.codex/config.toml': 'mcp_servers.toolwire.url = "x"\n[x]\n',
      'work/mcp.json': config,
    })
    const dry = await at.run('connect', 'cursor', '--move', '--dry-run')
    expect(dry.stdout).toMatch(/^\+.*"notes"/m)
    expect((await at.run('connect', 'codex', '--move')).code).toBe(2)
    expect([at.read('.cursor/mcp.json'), at.read('work/mcp.json')]).toEqual([cursor, config])
    expect(readdirSync(at.work)).toHaveLength(2)
  })

  it('asks in a terminal, with a warning in red', async () => {
    const at = home({ '.cursor/mcp.json': '{ "mcpServers": { "risky": { "command": "sudo", "args": ["server"] } } }' })
    const screen = inTerminal(['connect', 'cursor'], at)
    await screen.shows('Move them behind the gateway?')
    expect(screen.raw).toMatch(/\u001b\[31m! asks for more rights than yours[^\n]*\u001b\[39m/)
    screen.type(keys.interrupt)
    await screen.ended
  })

  it('needs --move without a terminal, and the servers that bypass the gateway are named', async () => {
    const at = home({ '.cursor/mcp.json': cursor, 'work/mcp.json': config })
    const { stderr } = await at.run('connect', 'cursor')
    expect(stderr).toMatch(/Cursor still starts shop, notes itself, without the gateway\. --move/)
    expect(at.read('work/mcp.json')).toBe(config)
    expect((await at.run('connect', 'cursor', '--move', '--keep')).code).toBe(2)
  })

  it('writes nothing when the question is aborted with Ctrl-C', async () => {
    const at = home({ '.cursor/mcp.json': cursor, 'work/mcp.json': config })
    const screen = inTerminal(['connect', 'cursor'], { env: { ...at.env, TOOLWIRE_PORT: '9' }, cwd: at.work })
    await screen.shows('Move them behind the gateway?')
    screen.type(keys.interrupt)
    expect(await screen.ended).toBe(130)
    expect([at.read('.cursor/mcp.json'), at.read('work/mcp.json')]).toEqual([cursor, config])
  })

  it('is offered in a terminal, with the commands, and done after a yes', async () => {
    const at = home({ '.cursor/mcp.json': cursor, 'work/mcp.json': config })
    const screen = inTerminal(['connect', 'cursor'], { env: { ...at.env, TOOLWIRE_PORT: '9' }, cwd: at.work })
    await screen.shows('Move them behind the gateway?')
    expect(screen.text).toMatch(/shop[\s\S]*runs .*shop\.js[\s\S]*notes[\s\S]*runs notes/)
    expect(at.read('.cursor/mcp.json')).toBe(cursor)
    screen.type(keys.enter)
    expect(await screen.ended).toBe(0)
    expect(Object.keys(readJsonc(at.read('.cursor/mcp.json')).value.mcpServers ?? {})).toEqual(['toolwire'])
  })
})
