// Servers in the operator's file are added, changed and removed without other changes.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { JsonObject } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { ConfigText } from '../../src/config/editing/config-text.js'
import { maskedDiff } from '../../src/config/editing/masked-diff.js'
import { replaceWithBackup } from '../../src/config/editing/replace-file.js'
import { changeServers, createServerEdits, type ServerChange } from '../../src/config/editing/server-edits.js'
import type { GatewayConfig } from '../../src/config/gateway-config.js'
import { loadConfig } from '../../src/config/load-config.js'
import { acceptedDigests, acceptParts, forgetFile } from '../../src/config/trust/accepted-parts.js'
import { folder } from '../support/running-gateway.js'

const config = `{
  // Everything that we use.
  "mcpServers": {
    "files": {
      // From the team.
      "command": "npx", "args": ["-y", "server-files", "."], /* where it looks */
      "env": { "TOKEN": "s3cret-of-ours-0123456789" }
    },
    // Notes of last year.
    "notes": { "url": "https://notes.example/mcp" }, // remote
    "last": { "command": "last" }
  },
  "toolwire": { "servers": { "notes": { "trusted": true }, "files": { "lazy": true } } } // the rest
}
`

function file(text = config, name = 'mcp.json') {
  const path = join(folder(), name)
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

async function edited(path: string, change: ServerChange) {
  const file = await ConfigText.open(path)
  changeServers(file, change)
  const { text, diff, isChanged: changed } = file
  return { diff, changed, backup: await replaceWithBackup(path, file.before, text) }
}
const addServer = (path: string, name: string, entry: JsonObject) => edited(path, { what: 'add', name, entry })
const changeServer = (path: string, name: string, entry: JsonObject) => edited(path, { what: 'change', name, entry })
const removeServer = (path: string, name: string) => edited(path, { what: 'remove', name })
const serverIn = async (path: string, name: string) => (await ConfigText.open(path)).find(name)?.value

const idsIn = async (path: string) =>
  (await loadConfig({ path, env: {}, cwd: dirname(path), home: dirname(path) })).upstreams.map(({ id }) => id)

describe('a server in the config', () => {
  it('is added last; comments, order and whitespace stay, and the old file is kept', async () => {
    const path = file()
    const { diff, backup, changed } = await addServer(path, 'search', { command: 'uvx', args: ['search'] })
    const text = readFileSync(path, 'utf8')
    expect(text).toBe(
      config.replace(
        '"last": { "command": "last" }\n',
        `"last": { "command": "last" },\n    "search": {\n      "command": "uvx",\n      "args": [\n        "search"\n      ]\n    }\n`,
      ),
    )
    expect([changed, await idsIn(path)]).toEqual([true, ['files', 'notes', 'last', 'search']])
    expect(diff).toContain('+    "search": {')
    expect(diff).not.toContain('s3cret')
    expect(readFileSync(backup ?? '', 'utf8')).toBe(config)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(dirname(path)).sort()).toEqual([basename(path), basename(backup ?? '')].sort())
  })

  it('is changed in place, member by member', async () => {
    const path = file()
    await changeServer(path, 'files', { command: 'npx', args: ['-y', 'server-files', '/data'] })
    const text = readFileSync(path, 'utf8')
    for (const kept of ['// From the team.', '/* where it looks */', '// Notes of last year.', '// remote', '// the rest'])
      expect(text).toContain(kept)
    expect(await serverIn(path, 'files')).toEqual({ command: 'npx', args: ['-y', 'server-files', '/data'] })
    expect(text).not.toContain('TOKEN')
    expect(await idsIn(path)).toEqual(['files', 'notes', 'last'])
  })

  it('is removed from each place, with its settings', async () => {
    for (const [name, left] of [
      ['files', ['notes', 'last']],
      ['notes', ['files', 'last']],
      ['last', ['files', 'notes']],
    ] as const) {
      const path = file()
      await removeServer(path, name)
      expect([name, await idsIn(path)]).toEqual([name, left])
      expect(readFileSync(path, 'utf8')).toContain('// Everything that we use.')
      expect(readFileSync(path, 'utf8')).toContain('// Notes of last year.')
    }
  })

  it('can be the last one to be removed, and the file is still strict JSON', async () => {
    const path = file(`{"mcpServers":{"a":{"command":"a"},"b":{"command":"b"},"c":{"command":"c"}},"x":1}`)
    await removeServer(path, 'b')
    expect(readFileSync(path, 'utf8')).toBe(`{"mcpServers":{"a":{"command":"a"},"c":{"command":"c"}},"x":1}`)
    await removeServer(path, 'c')
    await removeServer(path, 'a')
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ mcpServers: {}, x: 1 })
    await addServer(path, 'd', { url: 'http://127.0.0.1:1/mcp' })
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ mcpServers: { d: { url: 'http://127.0.0.1:1/mcp' } }, x: 1 })
  })

  it('is added, changed and removed in TOML in the same way', async () => {
    const path = file(`# ours\n[mcp_servers.a]\ncommand = "a"\n\n# b is slow\n[mcp_servers.b]\ncommand = "b"\n`, 'config.toml')
    await addServer(path, 'c', { command: 'c', env: { X: '1' } })
    await changeServer(path, 'a', { command: 'a2' })
    await removeServer(path, 'b')
    const text = readFileSync(path, 'utf8')
    expect(text).toContain('# ours')
    expect(text).toContain('# b is slow')
    expect(await idsIn(path)).toEqual(['a', 'c'])
    expect(await serverIn(path, 'a')).toEqual({ command: 'a2' })
  })

  it('is not touched in unsuitable cases: a duplicate name, a missing server, an invalid entry', async () => {
    const path = file()
    await expect(addServer(path, 'Files', { command: 'x' })).rejects.toThrow('there is a server "files" already')
    await expect(addServer(path, 'new', { comand: 'x' })).rejects.toThrow('has neither a `command` nor a `url`')
    await expect(changeServer(path, 'filse', { command: 'x' })).rejects.toThrow('there is no server "filse" in this file')
    await expect(removeServer(path, 'other')).rejects.toThrow('there is no server "other" in this file')
    const unwritten = await ConfigText.open(path)
    changeServers(unwritten, { what: 'remove', name: 'last' })
    expect(unwritten.diff).toContain('-    "last"')
    expect([readFileSync(path, 'utf8'), readdirSync(dirname(path))]).toEqual([config, ['mcp.json']])
  })
})

describe('a diff', () => {
  it.each([
    ['JSON', 'mcp.json', String.raw`"DB_PASSWORD": "hun\ter\"22x", "PIN": 48291377, "A": "\u0073ecret-word", "B": 1.5e10`],
    ['TOML', 'config.toml', String.raw`DB_PASSWORD = "hun\ter\"22x", PIN = 48291377, A = "secret-word"`],
  ])('hides secrets of %s in the spelling of the file', (_, name, members) => {
    const env = (more: string) =>
      name.endsWith('toml')
        ? `[mcp_servers.a]\ncommand = "x${more}"\nenv = { ${members} }\n`
        : `{"mcpServers": {"a": {"command": "x${more}", "args": ["-e", "--env=API_KEY=ab\\tcd-efgh"], "env": {${members}}}}}`
    const diff = maskedDiff(name, env(''), env('y'))
    expect(diff).not.toMatch(/hun|22x|48291377|ecret-word|1\.5e10|cd-efgh/)
    expect(diff).toMatch(/PIN/)
  })

  it.each<[string, (secret: string) => JsonObject]>([
    ['a variable', (secret) => ({ command: 'x', env: { ANY: secret } })],
    ['a number', (secret) => ({ command: 'x', env: { ANY: Number(secret) } })],
    ['a header', (secret) => ({ url: 'https://a.example/mcp', headers: { 'X-Any': secret } })],
    ['a credential', (secret) => ({ url: 'https://a.example/mcp', headers: { Authorization: `Bearer ${secret}` } })],
    ['an argument', (secret) => ({ command: 'x', args: ['--password', secret] })],
    ['a joined argument', (secret) => ({ command: 'x', args: [`--password=${secret}`] })],
    ['a query', (secret) => ({ url: `https://a.example/mcp?token=${secret}&max=1` })],
    ['a password of an address', (secret) => ({ url: `https://me:${secret}@a.example/mcp` })],
  ])('hides a short secret in %s', (_, entry) => {
    const text = (secret: string) => JSON.stringify({ mcpServers: { a: entry(secret) } }, null, 1)
    const diff = maskedDiff('mcp.json', text('1234'), text('5678'))
    expect(diff).not.toMatch(/1234|5678/)
    expect(diff).toContain('•••')
  })
})

describe('an entry displayed for a change', () => {
  const secret = 'hunter2-hunter2'
  it.each<[string, JsonObject]>([
    ['a header in an argument', { command: 'npx', args: ['mcp-remote', '--header', `Authorization: Bearer ${secret}`] }],
    ['a variable of a command in an object', { command: { path: 'npx', args: ['--api-key', secret], env: { ANY: secret } } }],
    ['a secret of a login', { url: 'https://a.example/mcp', oauth: { clientId: 'me', clientSecret: secret } }],
    ['a secret beside it', { url: 'https://a.example/mcp', headers: { 'X-Any': secret }, oauth: { more: [{ token: secret }] } }],
  ])('has placeholders for %s, which stand for the values in the file', async (_, entry) => {
    const path = file(JSON.stringify({ mcpServers: { one: entry } }))
    const load = { env: {}, cwd: dirname(path), home: dirname(path) }
    const source = () => ({ source: path }) as GatewayConfig
    const shown = (await createServerEdits({ config: source, load }).entry('one'))?.entry ?? {}
    expect(JSON.stringify(shown)).not.toContain(secret)
    expect(JSON.stringify(shown)).toContain('as it is')
    const { diff } = await changeServer(path, 'one', { ...shown, disabled: true })
    expect(diff).not.toContain(secret)
    expect(await serverIn(path, 'one')).toEqual({ ...entry, disabled: true })
  })
})

describe('changes at the same moment', () => {
  it('are done or refused: none is lost, and none comes back', async () => {
    const path = file(JSON.stringify({ mcpServers: { one: { command: 'one' } } }))
    const load = { env: {}, cwd: dirname(path), home: dirname(path) }
    const edits = createServerEdits({ config: () => ({ source: path }) as GatewayConfig, load })
    const adds = Array.from({ length: 4 }, (_, at) => ({ what: 'add', name: `more-${at}`, entry: { command: 'more' } }) as const)
    const changes: readonly ServerChange[] = [{ what: 'remove', name: 'one' }, ...adds]
    const plans = await Promise.all(changes.map((change) => edits.plan(change)))
    const applied = await Promise.all(changes.map((change, at) => edits.apply(change, plans[at]?.confirm ?? '')))
    expect(applied.map((one) => one !== undefined)).toEqual([true, false, false, false, false])
    expect(await idsIn(path)).toEqual([])
  })

  it('are all recorded if they accept parts of different configs', async () => {
    const store = join(folder(), 'trust', 'accepted.json')
    const files = Array.from({ length: 8 }, (_, at) => `/${at}/.mcp.json`)
    await acceptParts(store, [{ file: '/old', digest: 'd' }])
    const forgetting = forgetFile(store, '/old')
    await Promise.all(files.map((file) => acceptParts(store, [{ file, digest: 'd' }])))
    expect(await forgetting).toBe(true)
    const sizes = await Promise.all(['/old', ...files].map(async (file) => (await acceptedDigests(store, file)).size))
    expect(sizes).toEqual([0, ...files.map(() => 1)])
  })
})
