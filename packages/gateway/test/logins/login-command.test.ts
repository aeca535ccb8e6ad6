// toolwire login and logout with the built program, against a shop that really demands a login.
import { spawn } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { agree } from '../../../toolwire/test/client/oauth/authority.js'
import { commandHere } from '../support/command-here.js'
import { inTerminal, keys } from '../support/pseudo-terminal.js'
import { clean, folder, program, toolwire } from '../support/run-program.js'
import { type Shop, shopWithLogin } from './protected-shop.js'

// Each test starts a dozen processes.
/** Arguments are visible to all users, so the browser gets a file that redirects to the page. */
const browser = `#!/usr/bin/env node
const page = require('node:fs').readFileSync(new URL(process.argv[2]), 'utf8')
const link = /href="([^"]*)"/.exec(page)[1].replace(/&#(\\d+);/g, (_, code) => String.fromCharCode(code))
fetch(link).then((answer) => answer.text())
`

/** A folder with a config, a browser that agrees to everything, and an environment without a gateway. */
async function place({ url }: Shop, auth: object | string = 'oauth') {
  const { path, [Symbol.dispose]: remove } = folder({
    'mcp.json': JSON.stringify({
      mcpServers: { shop: { type: 'http', url } },
      toolwire: { servers: { shop: { auth, trusted: true } }, guard: { rate: false }, console: false },
    }),
    'xdg-open': browser,
  })
  onTestFinished(remove)
  chmodSync(join(path, 'xdg-open'), 0o755)
  const { TOOLWIRE_URL: _, ...env } = clean(path)
  const PATH = [path, dirname(process.execPath), env.PATH].join(':')
  return {
    path,
    env: {
      ...env,
      PATH,
      TOOLWIRE_PORT: String(await freePort()),
      TOOLWIRE_DATA_DIR: join(path, 'data'),
      TOOLWIRE_CONFIG: 'mcp.json',
    },
  }
}

type Place = Awaited<ReturnType<typeof place>>

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo // it listens on TCP
      server.close(() => resolve(port))
    })
  })

/** Starts a command that keeps running, and reads its output line by line. */
function startCommand(words: readonly string[], { path, env }: Place) {
  const child = spawn(process.execPath, [program, ...words], { cwd: path, env, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill())
  let stderr = ''
  child.stderr.on('data', (piece) => {
    stderr += piece
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const stop = async () => {
    child.kill('SIGTERM')
    return ended
  }
  return { line: async () => String((await lines.next()).value), ended, stop, stderr: () => stderr }
}

async function up(here: Place) {
  const gateway = startCommand(['up', '--json'], here)
  if ((await gateway.line()) === 'undefined') throw new Error(gateway.stderr())
  return gateway
}

const run = (here: Place, ...words: string[]) => toolwire(words, { cwd: here.path, env: here.env })
/** The same in this process, for output that other tests check with the program. */
const runHere = (here: Place, ...words: string[]) => commandHere(words, { cwd: here.path, env: here.env })
const json = async (here: Place, ...words: string[]) => JSON.parse((await runHere(here, ...words, '--json')).stdout)

describe('at a running gateway', () => {
  it('a person logs in with a browser, and out, and all outputs show it without a secret', async () => {
    const shop = await shopWithLogin({ revokes: true })
    const here = await place(shop)
    const gateway = await up(here)
    expect((await run(here, 'status')).stdout).toMatch(/^shop +needs login +.* shop needs a login: toolwire login shop$/m)
    expect((await runHere(here, 'list')).stderr).toContain('shop needs a login: toolwire login shop')
    expect((await run(here, 'login')).stdout).toMatch(/^shop +none: toolwire login shop/m)

    const login = await run(here, 'login', 'shop')
    expect([login.code, login.stdout]).toEqual([0, 'The gateway is logged in to shop\n'])
    expect(login.stderr).toContain(`shop asks you to log in at ${shop.as.issuer}, for: orders`)
    expect((await runHere(here, 'call', 'shop__whoami')).stdout).toBe('ana\n')
    const shown = [await json(here, 'status'), await json(here, 'list'), await json(here, 'login')]
    expect(shown[0].servers).toMatchObject([{ id: 'shop', state: 'ready', login: { loggedIn: true } }])
    expect(shown[1].logins).toMatchObject([{ server: 'shop', loggedIn: true }])
    expect(shown[2].logins).toMatchObject([{ server: 'shop', loggedIn: true, login: { issuer: shop.as.issuer } }])
    expect((await runHere(here, 'completion', 'words', 'login', 'sh')).stdout).toBe('shop\n')

    const secrets = [...shop.good.keys(), ...shop.refreshers.keys()]
    const logout = await run(here, 'logout', 'shop')
    expect(logout).toMatchObject({ code: 0, stdout: 'The gateway is logged out of shop\n', stderr: '' })
    expect(shop.as.revocations()).toHaveLength(secrets.length)
    expect([shop.good.size, shop.refreshers.size]).toEqual([0, 0])
    expect(await runHere(here, 'logout', 'shop')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no login for'),
    })
    expect((await json(here, 'status')).servers).toMatchObject([{ state: 'needs login', login: { loggedIn: false } }])
    await gateway.stop()
    const everything = JSON.stringify([login, shown, logout]) + gateway.stderr()
    for (const secret of secrets) expect(everything).not.toContain(secret)
  })

  it('a caller logs in with the command from the error message', async () => {
    const shop = await shopWithLogin()
    const here = await place(shop, { perUser: true })
    const gateway = await up(here)
    await run(here, 'login', 'shop')
    const firstCall = await runHere(here, 'call', 'shop__whoami')
    const [line = ''] = /toolwire login shop --user \w+/.exec(firstCall.stdout + firstCall.stderr) ?? []
    expect([firstCall.code, line]).toEqual([1, 'toolwire login shop --user local'])
    shop.who = 'bob'
    expect((await run(here, ...line.split(' ').slice(1))).stdout).toBe('local is logged in to shop\n')
    expect((await runHere(here, 'call', 'shop__whoami')).stdout).toBe('bob\n')
    expect((await runHere(here, 'login')).stdout).toMatch(/^shop +of the gateway .*\n^shop +of local /m)
    await gateway.stop()
  })

  it('a login that does not fit the config is refused with an explanation', async () => {
    const here = await place(await shopWithLogin(), 'none')
    const gateway = await up(here)
    expect(await runHere(here, 'login', 'shop')).toMatchObject({ code: 2, stderr: expect.stringContaining('"auth": "oauth"') })
    expect(await runHere(here, 'login', 'shpo')).toMatchObject({ code: 2, stderr: expect.stringContaining('no server "shpo"') })
    expect(await runHere(here, 'login', 'shop', '--port', 'x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--port'),
    })
    await gateway.stop()
  })
})

describe('while no gateway runs', () => {
  it('an unknown server, or one without such a login, is an error, as it is through a gateway', async () => {
    const here = await place(await shopWithLogin())
    const mistakes = [
      [['login', 'shpo'], 'There is no server "shpo" in the config; did you mean shop?'],
      [['logout', 'shpo'], 'There is no login for "shpo"; did you mean shop?'],
      [['login', 'shop', '--user', 'ana'], 'perUser'],
    ] as const
    const fails = async (words: readonly string[], message: string) =>
      expect(await runHere(here, ...words)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
    for (const [words, message] of mistakes) await fails(words, message)
    const gateway = await up(here)
    for (const [words, message] of mistakes) await fails(words, message)
    await gateway.stop()
  })

  it('logins are stored in the data directory, for the next start', async () => {
    const shop = await shopWithLogin()
    const here = await place(shop)
    const command = startCommand(['login', 'shop', '--no-browser', '--json'], here)
    const { page } = JSON.parse(await command.line())
    await fetch(page) // and its redirects
    expect(JSON.parse(await command.line())).toEqual({
      server: 'shop',
      loggedIn: true,
      issuer: shop.as.issuer,
      scopes: ['orders'],
    })
    expect(await command.ended).toBe(0)
    expect((await json(here, 'login')).logins).toMatchObject([{ server: 'shop', loggedIn: true }])
    const gateway = await up(here)
    expect((await runHere(here, 'call', 'shop__whoami')).stdout).toBe('ana\n')
    const elsewhere = { ...here, env: { ...here.env, TOOLWIRE_PORT: String(await freePort()) } }
    expect(await runHere(elsewhere, 'login', 'shop')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('name it with --gateway'),
    })
    await gateway.stop()
    expect(await run(here, 'logout', 'shop')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^The tokens were deleted here but not revoked.*does not support revocation\n$/),
    })
    expect((await json(here, 'login')).logins).toMatchObject([{ loggedIn: false }])
  })

  it('a named gateway that does not answer is an error, without a fallback to the directory', async () => {
    const here = await place(await shopWithLogin())
    expect(await runHere(here, 'login', 'shop', '--gateway', 'http://127.0.0.1:9')).toMatchObject({ code: 4 })
  })
})

describe('doctor', () => {
  it('finds nothing wrong with a server that requires a login', async () => {
    const here = await place(await shopWithLogin())
    const { findings } = await json(here, 'doctor')
    expect(JSON.stringify(findings)).toContain('shop: answers, and requires a login')
  })
})

describe('on a machine without a browser', () => {
  it('the final address from another browser is pasted', async () => {
    const shop = await shopWithLogin()
    const here = await place(shop)
    const screen = inTerminal(['login', 'shop', '--no-browser'], { cwd: here.path, env: here.env })
    await screen.shows('paste that address here')
    const [, page = ''] = /(http:\/\/\S+\/authorize\S+)/.exec(screen.text.replaceAll('\r\n', '\n')) ?? []
    screen.type(`${await agree(new URL(page))}${keys.enter}`)
    await screen.shows('The gateway is logged in to shop')
    expect(await screen.ended).toBe(0)
  })

  it('the address is shown if no browser opens it', async () => {
    const shop = await shopWithLogin()
    const here = await place(shop)
    writeFileSync(join(here.path, 'xdg-open'), 'no program')
    chmodSync(join(here.path, 'xdg-open'), 0o644)
    const command = startCommand(['login', 'shop'], { ...here, env: { ...here.env, PATH: here.path } })
    const page = await command.line()
    expect(command.stderr()).toContain('No browser could be opened. Open this page yourself')
    await fetch(page)
    expect(await command.ended).toBe(0)
  })
})
