// The identity of the server behind a config entry: it differs for another server and stays for the same one.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Target } from '../../src/config/gateway-config.js'
import { hashFile } from '../../src/config/servers/file-hash.js'
import { serverIdentifier } from '../../src/config/servers/server-identity.js'

const openFault = vi.hoisted((): { code?: string } => ({}))
vi.mock('node:fs/promises', async (original) => {
  const files = await original<typeof import('node:fs/promises')>()
  const open: typeof files.open = (...words) =>
    openFault.code === undefined ? files.open(...words) : Promise.reject(Object.assign(new Error('no'), openFault))
  return { ...files, open }
})
const withFault = async <T>(code: string, run: () => Promise<T>): Promise<T> => {
  openFault.code = code
  return run().finally(() => delete openFault.code)
}

const folder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-identity-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const identify = serverIdentifier('salt')
const identityOf = (target: Target) => identify({ id: 'notes', target })
const idOf = async (target: Target) => (await identityOf(target)).id

type Child = Target & { kind: 'child' }
const child = (more: Partial<Child> = {}): Child => ({ kind: 'child', command: 'node', args: [], env: {}, ...more })
const remote = (url: string, more: object = {}): Target => ({ kind: 'http', url, headers: {}, ...more })

function script(content = 'one', name = 'server.mjs'): string {
  const file = join(folder(), name)
  writeFileSync(file, content)
  return file
}

describe('a command is another server', () => {
  const base = child({ args: ['-y', 'pkg@1'], env: { A: '1' }, cwd: '/tmp' })
  it.each<[string, Partial<Child>]>([
    ['with another program', { command: 'deno' }],
    ['with another argument', { args: ['-y', 'pkg@2'] }],
    ['with one argument more', { args: ['-y', 'pkg@1', ''] }],
    ['with its arguments cut elsewhere', { args: ['-y pkg@1'] }],
    ['in another folder', { cwd: '/' }],
    ['with one environment variable more', { env: { A: '1', NODE_OPTIONS: '' } }],
    ['with another environment variable', { env: { B: '1' } }],
    ['without its environment variable', { env: {} }],
  ])('%s', async (_, change) => {
    expect(await idOf({ ...base, ...change })).not.toBe(await idOf(base))
  })

  it.each<[string, (file: string) => Child]>([
    ['a script after an interpreter', (file) => child({ args: [file, '--verbose'] })],
    ['a script without an ending', (file) => child({ command: 'python3', args: ['-u', file] })],
    ['a script that is loaded first', (file) => child({ args: ['--import', file, '-e', '0'] })],
    ['a script behind an equals sign', (file) => child({ args: [`--import=${file}`, '-e', '0'] })],
    ['a script further on', (file) => child({ command: 'env', args: ['A=1', 'node', file] })],
    ['the program itself', (file) => child({ command: file })],
    ['a program that is called like an interpreter', (file) => child({ command: file })],
    ['a script that is named from its folder', (file) => child({ args: [file.split('/').at(-1) ?? ''], cwd: join(file, '..') })],
  ])('when the content of a file changes: %s', async (what, target) => {
    const name = what === 'a script without an ending' ? 'server' : what.includes('interpreter') ? 'node' : 'server.mjs'
    const file = script('one', name)
    if (what.includes('program')) chmodSync(file, 0o755)
    const before = await idOf(target(file))
    writeFileSync(file, 'two')
    const after = await idOf(target(file))
    expect(after).not.toBe(before)
    writeFileSync(file, 'one')
    expect(await idOf(target(file))).toBe(before)
  })

  it('when a bare name resolves to another file', async () => {
    const [one, other] = [folder(), folder()]
    for (const place of [one, other]) {
      writeFileSync(join(place, 'my-server'), '#!/bin/sh\n')
      chmodSync(join(place, 'my-server'), 0o755)
    }
    const named = (PATH: string) => child({ command: 'my-server', env: { PATH } })
    expect(await idOf(named(`${one}:${other}`))).not.toBe(await idOf(named(`${other}:${one}`)))
    const before = await idOf(named(one))
    writeFileSync(join(one, 'my-server'), '#!/bin/sh\nevil\n')
    expect(await idOf(named(one))).not.toBe(before)
  })

  it.each([
    'node',
    'python3',
    'npx',
    'uvx',
  ])('when its own PATH resolves %s to a program that the gateway would not find', async (command) => {
    const place = folder()
    writeFileSync(join(place, command), '#!/bin/sh\n')
    chmodSync(join(place, command), 0o755)
    const named = (PATH: string) => child({ command, args: ['-y', 'server'], env: { PATH } })
    const before = await idOf(named(`${place}:${process.env.PATH}`))
    expect(before).not.toBe(await idOf(named(`${process.env.PATH}`)))
    writeFileSync(join(place, command), '#!/bin/sh\nevil\n')
    expect(await idOf(named(`${place}:${process.env.PATH}`))).not.toBe(before)
  })

  it.each(
    [
      ['NODE_OPTIONS', 'PYTHONPATH', 'BASH_ENV', 'RUBYOPT', 'PERL5OPT', 'JAVA_TOOL_OPTIONS', 'DOTNET_STARTUP_HOOKS'],
      ['LD_PRELOAD', 'LD_LIBRARY_PATH', 'DYLD_INSERT_LIBRARIES', 'npm_config_registry', 'NPM_CONFIG_REGISTRY', 'UV_INDEX_URL'],
      ['UV_EXTRA_INDEX_URL', 'PIP_EXTRA_INDEX_URL', 'UV_FIND_LINKS', 'PIP_FIND_LINKS'],
    ].flat(),
  )('when %s tells its runtime to load other code', async (name) => {
    const loaded = (value: string) => idOf(child({ args: ['server.js'], env: { [name]: value, TOKEN: 'x' } }))
    expect(await loaded('./evil')).not.toBe(await loaded('./good'))
    expect(await loaded('./good')).toBe(await loaded('./good'))
  })

  it('when a script behind a loaded one, or a module in its folder, has other content', async () => {
    const cwd = folder()
    mkdirSync(join(cwd, 'package'))
    for (const name of ['hook.js', 'main', 'module.py', 'package/__main__.py']) writeFileSync(join(cwd, name), 'one')
    const commands: readonly [string, Child][] = [
      ['hook.js', child({ args: ['-r', './hook.js', 'main'], cwd })],
      ['main', child({ args: ['-r', './hook.js', 'main'], cwd })],
      ['main', child({ args: ['--import', './hook.js', '--require', './hook.js', 'main'], cwd })],
      ['module.py', child({ command: 'python3', args: ['-m', 'module'], cwd })],
      ['hook.js', child({ command: 'my-server', args: ['-m', './hook.js'], cwd })],
      ['package/__main__.py', child({ command: 'python3', args: ['-u', '-m', 'package'], cwd })],
    ]
    for (const [name, target] of commands) {
      const before = await idOf(target)
      writeFileSync(join(cwd, name), 'two')
      expect([name, target.args, await idOf(target)]).not.toEqual([name, target.args, before])
      writeFileSync(join(cwd, name), 'one')
    }
  })

  it('when a link resolves to another file', async () => {
    const link = join(folder(), 'server.mjs')
    symlinkSync(script('one'), link)
    const before = await identityOf(child({ args: [link] }))
    rmSync(link)
    symlinkSync(script('two'), link)
    expect(before.isUnchanged()).toBe(false)
    expect((await identityOf(child({ args: [link] }))).id).not.toBe(before.id)
  })
})

describe('a command is the same server', () => {
  it('with any values and any order of its environment', async () => {
    const one = child({ env: { TOKEN: 'old', HOME: '/a' } })
    expect(await idOf(child({ env: { HOME: '/b', TOKEN: 'new' } }))).toBe(await idOf(one))
  })

  it('when only the credentials change in the addresses of its code', async () => {
    const from = (UV_INDEX: string) => idOf(child({ command: 'uvx', args: ['server'], env: { UV_INDEX } }))
    const before = await from('https://ada:one@a.example/x https://t0ken@b.example:8443/@scope/y')
    expect(await from('https://ada:two@a.example/x https://b.example:8443/@scope/y')).toBe(before)
    expect(await from('https://ada:one@evil.example/x https://t0ken@b.example:8443/@scope/y')).not.toBe(before)
    expect(await from('https://ada:one@a.example/x https://t0ken@b.example:8443/@other/y')).not.toBe(before)
  })

  it('when a data file among its arguments has changed', async () => {
    const data = script('one', 'notes.db')
    const target = child({ command: 'npx', args: ['-y', 'sqlite-server', data] })
    const before = await idOf(target)
    writeFileSync(data, 'two')
    expect(await idOf(target)).toBe(before)
  })

  it('when the runtime of the gateway is given by its path', async () => {
    const target = child({ command: process.execPath, args: ['-e', '0'] })
    const { facts } = await identityOf(target)
    expect(facts).toMatchObject({ command: process.execPath, files: [] })
  })

  it('after a rewrite with the same content, although its files count as changed', async () => {
    const file = script()
    const identity = await identityOf(child({ args: [file] }))
    expect(identity.isUnchanged()).toBe(true)
    writeFileSync(`${file}.new`, 'one')
    renameSync(`${file}.new`, file)
    expect(identity.isUnchanged()).toBe(false)
    expect((await identityOf(child({ args: [file] }))).id).toBe(identity.id)
  })
})

describe('an address', () => {
  const base = remote('https://mcp.example/a?team=1', { headers: { 'X-Team': 'a' }, auth: { perUser: false, clientId: 'c' } })
  it.each<[string, object]>([
    ['another host', { url: 'https://mcp.example.evil/a?team=1' }],
    ['another port', { url: 'https://mcp.example:8443/a?team=1' }],
    ['another scheme', { url: 'http://mcp.example/a?team=1' }],
    ['another path', { url: 'https://mcp.example/b?team=1' }],
    ['another query', { url: 'https://mcp.example/a?team=2' }],
    ['another user', { url: 'https://eve@mcp.example/a?team=1' }],
    ['another transport', { kind: 'sse' }],
    ['a header more', { headers: { 'X-Team': 'a', 'X-Route': 'b' } }],
    ['no login', { auth: 'none' }],
    ['a login for each caller', { auth: { perUser: true, clientId: 'c' } }],
    ['another client', { auth: { perUser: false, clientId: 'd' } }],
    ['another authorization server', { auth: { perUser: false, clientId: 'c', issuer: 'https://login.example' } }],
  ])('is another server with %s', async (_, change) => {
    expect(await idOf({ ...base, ...change } as Target)).not.toBe(await idOf(base))
  })

  it('is the same server in any spelling, and with other secrets', async () => {
    const spellings = ['https://MCP.example:443/x/../a?api_key=1#here', 'https://mcp.example/a?api_key=2']
    const ids = await Promise.all(spellings.map((url) => idOf(remote(url))))
    expect(new Set(ids).size).toBe(1)
    const headed = (value: string) => idOf(remote('https://mcp.example/', { headers: { Authorization: value } }))
    expect(await headed('Bearer a')).toBe(await headed('Bearer b'))
    const secret = (clientSecret: string) => ({ auth: { perUser: false, clientId: 'c', clientSecret } })
    expect(await idOf(remote('https://a.example', secret('x')))).toBe(await idOf(remote('https://a.example', secret('y'))))
  })
})

describe('the stored identity of a server', () => {
  it('shows no secret, and cannot be guessed without the salt', async () => {
    const token = 'sk12345678901234567890ab'
    const targets: Target[] = [
      child({ args: ['--api-key', 'hunter22', `TOKEN=${token}`, token], env: { SECRET: 'hunter23' } }),
      remote(`https://u:hunter24@a.example/${token}/mcp?key=hunter25`, { headers: { 'x-key': 'hunter26' } }),
    ]
    for (const target of targets) {
      expect(JSON.stringify((await identityOf(target)).facts)).not.toMatch(/hunter2|sk1234/)
      expect((await serverIdentifier('other')({ id: 'notes', target })).id).not.toBe(await idOf(target))
    }
  })
})

describe('a file', () => {
  it.skipIf(process.platform === 'win32')('is read only if it is regular: not a pipe, a device or a folder', async () => {
    const place = folder()
    execFileSync('mkfifo', [join(place, 'pipe.mjs')])
    mkdirSync(join(place, 'folder.mjs'))
    for (const path of [join(place, 'pipe.mjs'), join(place, 'folder.mjs'), '/dev/zero', join(place, 'none')])
      expect(await hashFile(path)).toBeUndefined()
    expect(await idOf(child({ command: join(place, 'pipe.mjs'), args: ['/dev/zero', join(place, 'pipe.mjs')] }))).toMatch(/^v1:/)
  })

  it('is read up to a limit, and beyond that identified by size and times', async () => {
    const file = script('x'.repeat(10))
    const before = await hashFile(file, 4)
    writeFileSync(file, `xxxx${'y'.repeat(6)}`)
    const after = await hashFile(file, 4)
    expect(after?.hash).not.toBe(before?.hash)
    truncateSync(file, 5)
    expect((await hashFile(file, 4))?.hash).not.toBe(after?.hash)
  })

  it.each([
    'EMFILE',
    'ENFILE',
    'EIO',
    'ENOENT',
  ])('that cannot be read for a moment has no hash, then or later: %s', async (code) => {
    const file = script()
    const target = child({ args: [file] })
    await expect(withFault(code, () => identityOf(target))).rejects.toThrow(`${file} cannot be read`)
    expect((await hashFile(file))?.hash).toMatch(/^[0-9a-f]{64}$/)
  })

  it.each(['EACCES', 'EPERM'])('that must not be read is another one as soon as it is replaced: %s', async (code) => {
    const file = script()
    const hashed = () => withFault(code, async () => (await hashFile(file))?.hash)
    const before = await hashed()
    expect(await hashed()).toBe(before)
    renameSync(script('two'), file)
    expect(await hashed()).not.toBe(before)
    expect((await hashFile(file))?.hash).toMatch(/^[0-9a-f]{64}$/)
  })
})
