import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { defaultDataDir, machineOf } from '../config/paths.js'
import type { Environment } from '../config/variables.js'
import { writePrivateFile } from '../store/data-directory.js'

/**
 * Opens a page in the browser of this machine; rejects if none can be started. Every user of the machine can read the arguments of a
 * program, and the URL contains a login. So the browser gets a file that only this account can read, which redirects to the page.
 */
export async function openInBrowser(url: URL, env: Environment): Promise<void> {
  const { machine } = await import('toolwire/relay')
  await machine.openPage(url, async (program, args) => {
    const file = leadingTo(url, env)
    await machine.startDetached(program, [...args.slice(0, -1), pathToFileURL(file).href], withoutSecrets())
  })
}

/** Opens the console in the browser; false if no browser can be started. */
export async function openConsoleInBrowser(link: string, env: Environment): Promise<boolean> {
  try {
    // The console serves /enter for a browser that comes from a local file.
    await openInBrowser(new URL(link.replace('/#login=', '/enter#login=')), env)
    return true
  } catch {
    return false // the caller prints the link
  }
}

/** Writes the redirecting file. The next login overwrites it, which is safe because a link works once and expires soon. */
function leadingTo(url: URL, env: Environment): string {
  const folder = defaultDataDir(machineOf({ env, cwd: process.cwd() }))
  writePrivateFile(folder, fileName, pageFor(url.href, randomBytes(16).toString('base64')))
  return join(folder, fileName)
}

const fileName = 'open-in-browser.html'

const pageFor = (href: string, nonce: string): string => `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="content-security-policy" content="default-src 'none'; script-src 'nonce-${nonce}'">
<title>Toolwire</title>
<p><a href="${escaped(href)}">Continue</a></p>
<script nonce="${nonce}">location.replace(document.querySelector('a').href)</script>
`

const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`)

const secretVariables: ReadonlySet<string> = new Set([
  ...['TOOLWIRE_API_KEY', 'TOOLWIRE_VAULT_KEY', 'TOOLWIRE_AUDIT_KEY', 'TOOLWIRE_STORE', 'DATABASE_URL'],
])

const withoutSecrets = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !secretVariables.has(name)))
