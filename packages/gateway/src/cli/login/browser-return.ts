// Takes the user to the login page, and waits for the return to this machine.

import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { loopbackAuthorize } from 'toolwire/client/oauth'
import type { PendingLogin } from '../../upstreams/logins/logins.js'
import { CommandError, type CommandInput, isOptionOff, optionText, usageProblem } from '../command.js'
import { openInBrowser } from '../open-browser.js'
import type { Terminal } from '../terminal/terminal.js'
import { visibleJsonLine, visibleTextLine } from '../terminal/visible-text.js'

/** The redirect URI: a loopback address by number, because a name may resolve to another host (RFC 8252 section 8.3). */
export async function redirectUriFor(input: CommandInput): Promise<string> {
  const given = optionText(input, 'port')
  const port = given === undefined ? 0 : Number(given)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw usageProblem('--port must be a number from 0 to 65535; 0 picks a free port')
  return `http://127.0.0.1:${await freePort(port)}/callback`
}

function freePort(wanted: number): Promise<number> {
  const server = createServer()
  const taken = `Port ${wanted} is in use. Stop the other program, or choose another port with --port`
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(new CommandError(taken, 1, { cause })))
    server.listen(wanted, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo // it listens on TCP
      server.close(() => resolve(port))
    })
  })
}

/** The full URL that the browser was redirected to. */
export async function awaitBrowserReturn(begun: PendingLogin, input: CommandInput, terminal: Terminal): Promise<string> {
  const { server, issuer, scopes, page } = begun
  const purpose = scopes.length > 0 ? `, for: ${scopes.join(' ')}` : ''
  terminal.say(visibleTextLine(`${server} asks you to log in at ${issuer}${purpose}`))
  const over = new AbortController()
  const { signal } = over
  const stop = () => over.abort(input.signal.reason)
  input.signal.addEventListener('abort', stop)
  if (input.signal.aborted) stop()
  const open = (url: URL) => show(url, input, terminal)
  try {
    const ways = [loopbackAuthorize({ open })(new URL(page), { server, issuer, scopes, signal })]
    if (terminal.interactive && isOptionOff(input, 'browser')) ways.push(pasted(signal))
    return String(await Promise.race(ways))
  } finally {
    input.signal.removeEventListener('abort', stop)
    over.abort()
  }
}

async function show(page: URL, input: CommandInput, terminal: Terminal): Promise<void> {
  if (!isOptionOff(input, 'browser')) {
    try {
      await openInBrowser(page, input.env)
      return terminal.say(`The page opens in your browser. If it does not, open this address: ${page.href}`)
    } catch {
      terminal.say('No browser could be opened. Open this page yourself:')
    }
  }
  terminal.print(terminal.json ? visibleJsonLine({ page: page.href }) : page.href)
  if (terminal.interactive && isOptionOff(input, 'browser'))
    terminal.say(
      'Open it in any browser. A browser on another machine ends at an address that it cannot open: paste that address here.',
    )
}

/** A pasted URL, for a browser on another machine, which cannot reach the redirect URI. */
function pasted(signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: process.stdin })
  signal.addEventListener('abort', () => lines.close(), { once: true })
  return new Promise((resolve) => {
    lines.on('line', (line) => {
      if (/^https?:\/\/\S+[?&](code|error)=/.test(line.trim())) resolve(line.trim())
    })
  })
}
