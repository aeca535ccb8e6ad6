// Console links and the browser, from a terminal.
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { runningGateway } from '../support/cli-gateway.js'
import { inTerminal, keys } from '../support/pseudo-terminal.js'
import { clean, folder, toolwire, until } from '../support/run-program.js'

const linkIn = (text: string): string | undefined => /http:\/\/127\.0\.0\.1:\d+\/#login=[\w-]{43}/.exec(text)?.[0]

/** True if the console accepts the link. */
async function opens(link: string | undefined): Promise<boolean> {
  const { 1: origin = '', 2: token } = /^(.*)\/#login=(.*)$/.exec(link ?? '') ?? []
  const headers = { 'content-type': 'application/json' }
  return (await fetch(`${origin}/session`, { method: 'POST', headers, body: JSON.stringify({ token }) })).ok
}

/** A folder with a fake browser that records the opened pages. */
function browserIn(path: string): NodeJS.ProcessEnv {
  const opened = join(path, 'opened')
  for (const name of ['xdg-open', 'open']) {
    writeFileSync(join(path, name), `#!/bin/sh\nprintf %s "$1" > '${opened}.part' && mv '${opened}.part' '${opened}'\n`)
    chmodSync(join(path, name), 0o755)
  }
  return { ...clean(path), PATH: `${path}${delimiter}${process.env.PATH}` }
}

/** The target of the opened page. Process arguments are public, but only this account can read the page. */
function linkBehind(opened: string): string {
  const given = readFileSync(opened, 'utf8')
  expect(given).toMatch(/^file:\/\/\/\S+$/)
  expect(given).not.toMatch(/login=|http/)
  const file = fileURLToPath(given)
  if (process.platform !== 'win32')
    expect([statSync(file).mode & 0o777, statSync(dirname(file)).mode & 0o077]).toEqual([0o600, 0])
  const link = /href="([^"]*)"/
    .exec(readFileSync(file, 'utf8'))?.[1]
    ?.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/enter#login=[\w-]{43}$/)
  return String(link).replace('/enter#', '/#')
}

it('up prints a link that logs a browser in, and console prints others', async () => {
  using files = folder()
  const env = clean(files.path)
  const screen = inTerminal(['up', '--port', '0', '--console-port', '0', '--data-dir', 'data'], { cwd: files.path, env })
  const shown = await screen.shows(/Console[\s\S]*#login=[\w-]{43}[\s\S]*Ctrl-C stops it/)
  expect(await opens(linkIn(shown))).toBe(true)
  expect(await opens(linkIn(shown))).toBe(false)
  const { 1: gateway = '' } = /listens at (http:\/\/127\.0\.0\.1:\d+)/.exec(shown) ?? []
  const one = await toolwire(['console', '--gateway', gateway], { env })
  expect([one.code, one.stdout]).toEqual([0, `${linkIn(one.stdout)}\n`])
  expect(one.stderr).toContain('within five minutes')
  const other = JSON.parse((await toolwire(['console', '--json', '--gateway', gateway], { env })).stdout)
  expect(other.expiresAt - Date.now()).toBeLessThanOrEqual(300_000)
  expect([await opens(other.url), await opens(linkIn(one.stdout))]).toEqual([true, true])
  screen.type(keys.interrupt)
  expect(await screen.ended).toBe(0)
})

it('a log names the console without a link', async () => {
  const gateway = await runningGateway()
  onTestFinished(async () => void (await gateway.stop()))
  await until(() => /"console":"http:\/\/127\.0\.0\.1:\d+"/.test(gateway.stderr()))
  await toolwire(['console'], { env: gateway.env })
  expect(gateway.stderr()).not.toContain('login')
})

it('--open opens the page of a starting gateway and of a running one', async () => {
  using files = folder()
  const env = browserIn(files.path)
  const opened = join(files.path, 'opened')
  const words = ['up', '--open', '--port', '0', '--console-port', '0', '--data-dir', 'data']
  const screen = inTerminal(words, { cwd: files.path, env })
  const shown = await screen.shows(/listens at http:\/\/127\.0\.0\.1:\d+\/mcp[\s\S]*Ctrl-C stops it/)
  await until(() => existsSync(opened))
  expect(await opens(linkBehind(opened))).toBe(true)
  writeFileSync(opened, '')
  const { 1: gateway = '' } = /listens at (http:\/\/127\.0\.0\.1:\d+)/.exec(shown) ?? []
  const { code, stdout } = await toolwire(['console', '--open', '--gateway', gateway], { env })
  expect([code, stdout]).toEqual([0, ''])
  await until(() => readFileSync(opened, 'utf8') !== '')
  expect(await opens(linkBehind(opened))).toBe(true)
  screen.type(keys.interrupt)
  expect(await screen.ended).toBe(0)
})

it('--no-console starts none, and a request for a link gets an explanation', async () => {
  using files = folder()
  const env = clean(files.path)
  const words = ['up', '--no-console', '--open', '--port', '0', '--data-dir', 'data']
  const screen = inTerminal(words, { cwd: files.path, env })
  const shown = await screen.shows(/listens at http:\/\/127\.0\.0\.1:\d+\/mcp[\s\S]*console is switched off/)
  expect(linkIn(shown)).toBeUndefined()
  const { 1: gateway = '' } = /listens at (http:\/\/127\.0\.0\.1:\d+)/.exec(shown) ?? []
  const { code, stdout, stderr } = await toolwire(['console', '--gateway', gateway], { env })
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('The console is switched off')])
  screen.type(keys.interrupt)
  expect(await screen.ended).toBe(0)
})
