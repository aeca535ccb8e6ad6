// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text contains a variable of a config
// Parts of a found config are not started, contacted or expanded before a person has accepted them. A model checks generated configs, edits
// and ways to accept. The servers are real: programs that leave a mark, and an address that counts requests.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { howMany } from '../../../toolwire/test/soak.js'
import { acceptFoundConfig } from '../../src/cli/trust/accept-found.js'
import { createServerEdits } from '../../src/config/editing/server-edits.js'
import { hosts } from '../../src/config/hosts/host.js'
import { loadConfig } from '../../src/config/load-config.js'
import { forgetFile } from '../../src/config/trust/accepted-parts.js'
import { type Gateway, runGateway } from '../../src/lifecycle/start-gateway.js'

type Server = {
  kind: 'program' | 'address'
  variant: number
  variables: number | undefined
  reads: 'plain' | 'env' | 'nested' | 'none'
}
type Model = { servers: Map<string, Server>; settings: number | undefined; format: number; accepted: Set<string> }

/** Pseudo-random numbers with a seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) | 0
    return ((state ^ (state >>> 13)) >>> 0) % below
  }
}

const places = ['mcp.json', '.mcp.json', '.vscode/mcp.json', '.cursor/mcp.json']
const homes = ['mcpServers', 'servers', 'context_servers', 'mcp.servers']
const patience = { timeout: 60_000, interval: 10 }

/** A variant of a server; its marks contain the same key. */
const keyOf = (id: string, { variant }: Server) => `${id}-${variant}`
const variablesOf = (id: string, { variables }: Server) => (variables === undefined ? undefined : `${id}-file-${variables}`)
const settingsOf = ({ settings }: Model) => `settings-${settings}`

function isUsable(model: Model, id: string, server: Server): boolean {
  const variables = variablesOf(id, server)
  return (
    model.accepted.has(keyOf(id, server)) &&
    (variables === undefined || model.accepted.has(variables)) &&
    areSettingsAccepted(model)
  )
}

const areSettingsAccepted = (model: Model) =>
  model.accepted.has(settingsOf(model)) ||
  (model.settings === undefined && ![...model.accepted].some((key) => key.startsWith('settings')))

const waitingIn = (model: Model) => [...model.servers].filter(([id, server]) => !isUsable(model, id, server)).map(([id]) => id)

function acceptAll(model: Model): void {
  model.accepted.add(settingsOf(model))
  for (const [id, server] of model.servers)
    for (const key of [keyOf(id, server), variablesOf(id, server)]) if (key !== undefined) model.accepted.add(key)
}

async function world(seed: number) {
  const below = numbers(seed)
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'trust-')))
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }))
  const file = join(path, 'work', places[below(places.length)] ?? '')
  mkdirSync(dirname(file), { recursive: true })
  const came = new Set<string>()
  const http = createServer((request, response) => {
    came.add((request.url ?? '').split('/')[1] ?? '')
    response.writeHead(503).end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void http.close())
  await new Promise((resolve) => http.once('listening', resolve))
  const read = new Set<string>()
  const env = new Proxy({} as { [name: string]: string | undefined }, {
    get(_, name) {
      const { 1: key } = /^SECRET_(.*)$/.exec(String(name)) ?? []
      if (key === undefined) return undefined
      read.add(key.replaceAll('_', '-'))
      return 'of-the-environment'
    },
  })
  const marks = join(path, 'marks')
  const place = {
    below,
    file,
    came,
    read,
    env,
    port: (http.address() as AddressInfo).port,
    marks,
    home: homes[below(homes.length)] ?? '',
  }
  const where = {
    ...{ env, cwd: join(path, 'work'), home: join(path, 'home'), settleMs: 10, pollMs: 40 },
    flags: { dataDir: join(path, 'data'), port: 0, console: false },
  }
  return { ...place, where, path }
}

type World = Awaited<ReturnType<typeof world>>

function entryOf({ marks, port }: World, id: string, server: Server): object {
  const key = keyOf(id, server)
  const name = `SECRET_${key.replaceAll('-', '_')}`
  const secret = { plain: `\${${name}}`, env: `\${env:${name}}`, nested: `\${NOT_THERE:-\${${name}}}`, none: 'word' }[
    server.reads
  ]
  if (server.kind === 'address') return { url: `http://127.0.0.1:${port}/${key}`, headers: { 'x-secret': secret } }
  const script = `printf '%s\\n' "$0" >> ${marks}; test -z "$FROM_FILE" || printf '%s\\n' "$FROM_FILE" >> ${marks}`
  const variables = server.variables === undefined ? {} : { envFile: `${id}.env` }
  return { command: '/bin/sh', args: ['-c', script, key], env: { TOKEN: secret }, ...variables }
}

function write(here: World, model: Model): void {
  const entries = [...model.servers].map(([id, server]): [string, object] => [id, entryOf(here, id, server)])
  // Order, whitespace and comments do not matter.
  if (model.format % 2 === 1) entries.reverse()
  const all = Object.fromEntries(entries)
  const servers = here.home === 'mcp.servers' ? { mcp: { servers: all } } : { [here.home]: all }
  const settings = model.settings === undefined ? {} : { toolwire: { sets: { [`set${model.settings}`]: ['*'] } } }
  const value = model.format % 3 === 1 ? { ...settings, ...servers } : { ...servers, ...settings }
  for (const [id, { variables }] of model.servers)
    if (variables !== undefined) writeFileSync(join(here.path, 'work', `${id}.env`), `FROM_FILE=${id}-file-${variables}\n`)
  writeFileSync(here.file, `// ${model.format}\n${JSON.stringify(value, undefined, model.format % 4)}`)
}

function newServer({ below }: World): Server {
  const kind = below(3) === 0 ? 'address' : 'program'
  const reads = (['plain', 'env', 'nested', 'none'] as const)[below(4)] ?? 'none'
  return { kind, reads, variant: below(1_000_000), variables: kind === 'program' && below(3) === 0 ? 0 : undefined }
}

const edits: { [name: string]: (here: World, model: Model) => void } = {
  'another command or address': ({ below }, { servers }) => {
    const server = [...servers.values()][below(servers.size)]
    if (server) server.variant = below(1_000_000)
  },
  'another file of variables': ({ below }, { servers }) => {
    const given = [...servers.values()].filter(({ variables }) => variables !== undefined)
    const server = given[below(given.length || 1)]
    if (server) server.variables = below(1_000_000)
  },
  'another server': (here, { servers }) => void servers.set(`more${servers.size}`, newServer(here)),
  'other settings': ({ below }, model) => {
    model.settings = below(4) === 0 ? undefined : below(1_000_000)
  },
  'another layout': (_, model) => void model.format++,
}

/** All variants that have been started, contacted and expanded so far. */
function done({ marks, came, read }: World): string[] {
  const started = existsSync(marks) ? readFileSync(marks, 'utf8').trim().split('\n') : []
  return [...new Set([...started, ...came, ...read])].filter((key) => key !== '')
}

const seeds = Array.from({ length: Number(process.env.TRUST_SEEDS ?? howMany(3, 10)) }, (_, index) => index + 1)

it.each(seeds)('nothing of a found config is started, contacted or expanded before acceptance, world %i', async (seed) => {
  const here = await world(seed)
  const { below, where } = here
  const model: Model = { servers: new Map(), settings: below(2) === 0 ? undefined : 1, format: 0, accepted: new Set() }
  for (let count = 1 + below(3); count > 0; count--) model.servers.set(`s${count}`, newServer(here))
  write(here, model)
  const ever = new Set<string>()
  let gateway: Gateway | undefined
  const stop = async () => {
    await gateway?.close({ drainMs: 0 })
    gateway = undefined
  }
  onTestFinished(stop)
  const log: string[] = []
  const start = async () => {
    gateway = await runGateway(where, { env: {}, onLog: ({ message }) => void log.push(message) })
  }
  /** Waits until the shown parts are the unaccepted ones. Unaccepted settings leave earlier ones in force. */
  const follows = async (old: boolean) => {
    const waiting = waitingIn(model)
    await vi.waitFor(() => {
      const shown = gateway?.control.servers().flatMap(({ id, state }) => (state === 'waits for trust' ? [id] : [])) ?? []
      const troubles = gateway?.health().troubles.join('\n') ?? ''
      if (old && !areSettingsAccepted(model) && model.accepted.size > 0)
        expect(troubles).toMatch(/settings wait for trust.*toolwire trust/)
      else expect(shown.sort(), troubles).toEqual(waiting.sort())
      if (waiting.length > 0) expect(troubles).toContain(`toolwire trust ${here.file}`)
    }, patience)
  }
  const check = async () => {
    for (const key of model.accepted) ever.add(key)
    for (const key of done(here)) expect(ever).toContain(key)
    if (waitingIn(model).length > 0) return
    // All accepted servers are used.
    await vi.waitFor(() => {
      for (const [id, server] of model.servers) expect(done(here)).toContain(keyOf(id, server))
    }, patience)
  }
  let ran = false
  const ways: { [name: string]: () => Promise<void> } = {
    async accept() {
      acceptAll(model)
      for (const key of model.accepted) ever.add(key)
      await acceptFoundConfig(where, async () => true)
    },
    async 'accept the file by its name'() {
      acceptAll(model)
      for (const key of model.accepted) ever.add(key)
      await acceptFoundConfig({ ...where, path: here.file, asFound: true }, async () => true)
    },
    decline: async () => void (await acceptFoundConfig(where, async () => false)),
    async forget() {
      if (!(await forgetFile(join(here.path, 'data/trust/accepted.json'), here.file))) return
      model.accepted.clear()
    },
    async restart() {
      await stop()
      ran = false
      await start()
    },
  }
  await start()
  await follows(false)
  await check()
  for (let step = 0; step < 8; step++) {
    ran = areSettingsAccepted(model)
    const names = [...Object.keys(edits), ...Object.keys(edits), ...Object.keys(ways), 'accept']
    const name = names[below(names.length)] ?? ''
    const wasOld = !ran && gateway?.health().troubles.some((trouble) => trouble.includes('settings wait for trust')) === true
    edits[name]?.(here, model)
    if (edits[name]) write(here, model)
    await ways[name]?.()
    await follows(name !== 'restart' && (ran || wasOld))
    await check()
  }
  await ways.accept?.()
  await follows(false)
  await check()
})

it.each([true, false])('a change in the console accepts its own part if everything else was accepted: %s', async (isTrusted) => {
  const here = await world(1)
  const model: Model = { servers: new Map([['s', newServer(here)]]), settings: 1, format: 0, accepted: new Set() }
  write(here, model)
  if (isTrusted) await acceptFoundConfig(here.where, async () => true)
  const waiting = async () => (await loadConfig(here.where)).trust?.waiting.flatMap(({ id }) => id ?? []).sort()
  const config = await loadConfig(here.where)
  const edits = createServerEdits({ config: () => config, load: here.where })
  const change = { what: 'add' as const, name: 'more', entry: { command: '/bin/sh', args: ['-c', 'true'] } }
  const { confirm } = await edits.plan(change)
  expect(await waiting()).toEqual(isTrusted ? [] : ['s'])
  await edits.apply(change, confirm)
  expect(await waiting()).toEqual(isTrusted ? [] : ['more', 's'])
})

it('the policy of a found config is accepted by its content, also while the gateway runs', async () => {
  const here = await world(3)
  const policy = join(here.path, 'work/policy.yaml')
  const rules = (name: string) => `rules:\n  - name: ${name}\n    decision: ask\n`
  const accept = async () => {
    let asked = 0
    await acceptFoundConfig(here.where, async () => ++asked > 0)
    return asked
  }
  const waiting = async () => (await loadConfig(here.where)).trust?.waiting.map(({ kind }) => kind)
  writeFileSync(here.file, JSON.stringify({ mcpServers: {}, toolwire: { policy } }))
  writeFileSync(policy, rules('first'))
  expect([await accept(), await waiting()]).toEqual([1, []])
  let gateway: Gateway | undefined
  const stop = async () => void (await gateway?.close({ drainMs: 0 }))
  onTestFinished(stop)
  const start = async () => {
    gateway = await runGateway(here.where, { env: {} })
  }
  const inForce = async () => {
    const { rules = [], fallback } = (await gateway?.control.policy.view()) ?? {}
    return [...rules.map(({ name }) => name), fallback?.decision]
  }
  await start()
  expect(await inForce()).toEqual(['first', 'depends'])

  writeFileSync(policy, rules('pulled'))
  const troubles = () => gateway?.health().troubles.join('\n')
  await vi.waitFor(() => expect(troubles()).toMatch(/these rules wait for trust.*toolwire trust/), patience)
  expect([await inForce(), await waiting()]).toEqual([['first', 'depends'], ['policy']])
  await stop()
  await start()
  expect(await inForce()).toEqual(['deny'])
  expect(troubles()).toContain('does not use: its policy')
  expect(await accept()).toBe(1)
  await vi.waitFor(async () => expect(await inForce()).toEqual(['pulled', 'depends']), patience)

  const { text, version } = (await gateway?.control.policy.view()) ?? { text: '', version: '' }
  expect(text).toBe(rules('pulled'))
  expect(await gateway?.control.policy.save(rules('saved'), version)).toMatchObject({ saved: true })
  expect([await inForce(), await waiting(), readFileSync(policy, 'utf8')]).toEqual([['saved', 'depends'], [], rules('saved')])
  await vi.waitFor(() => expect(troubles()).not.toContain('wait'), patience)
  await stop()
  await start()
  expect(await inForce()).toEqual(['saved', 'depends'])
})

it('project files of an import are found, even if the config that names the host is not', async () => {
  const here = await world(2)
  const named = join(here.path, 'named.json')
  writeFileSync(named, JSON.stringify({ toolwire: { import: ['cursor'] } }))
  const entry = (command: string) => JSON.stringify({ mcpServers: { [command]: { command } } })
  for (const [folder, command] of [
    ['home', 'mine'],
    ['work', 'theirs'],
  ] as const) {
    mkdirSync(join(here.path, folder, '.cursor'), { recursive: true })
    writeFileSync(join(here.path, folder, '.cursor/mcp.json'), entry(command))
  }
  const where = { ...here.where, path: named }
  const used = async () => (await loadConfig(where)).upstreams.flatMap(({ id, disabled }) => (disabled ? [] : [id])).sort()
  expect(await used()).toEqual(['mine'])
  await acceptFoundConfig(where, async () => true)
  expect(await used()).toEqual(['mine', 'theirs'])
})

it.each(
  hosts.flatMap(({ project }) => project ?? []),
)('the project file %s that a named config imports by its path is found', async (project) => {
  const here = await world(2)
  const named = join(here.path, 'named.json')
  const file = join(here.path, 'clone', project)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(named, JSON.stringify({ toolwire: { import: [file] } }))
  const text = project.endsWith('.toml')
    ? '[mcp_servers.pulled]\ncommand = "pulled"'
    : JSON.stringify({ [project.includes('.vscode') ? 'servers' : 'mcpServers']: { pulled: { command: 'pulled' } } })
  writeFileSync(file, text)
  const where = { ...here.where, path: named }
  const used = async () => (await loadConfig(where)).upstreams.flatMap(({ id, disabled }) => (disabled ? [] : [id]))
  expect(await used()).toEqual([])
  await acceptFoundConfig(where, async () => true)
  expect(await used()).toEqual(['pulled'])
})
