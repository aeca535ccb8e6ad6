import { isSecure } from '../egress/reach.js'
import { OAuthFailure } from '../oauth-failure.js'

/** Starts a program with these arguments, without a shell. */
type RunProgram = (program: string, args: readonly string[]) => Promise<void> | void

/** Opens a web page in this machine's browser, and refuses any other kind of URL. Node only. */
export async function openPage(url: URL, run: RunProgram = startDetached): Promise<void> {
  checkPageUrl(url)
  const [program, ...args] = openers[process.platform] ?? ['xdg-open']
  await run(program, [...args, url.href])
}

/** docs/tutorials/security/security_best_practices#oauth-authorization-url-validation */
export function checkPageUrl(url: URL): void {
  if (isSecure(url)) return
  throw new OAuthFailure('forbidden_address', `Only https pages, and http pages on this machine, are opened; not ${url.protocol}`)
}

const openers: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Starts a program that outlives this process, without a shell. Node only. */
export async function startDetached(program: string, args: readonly string[], env = process.env): Promise<void> {
  const { spawn } = await import('node:child_process')
  const child = spawn(program, args, { shell: false, detached: true, stdio: 'ignore', env })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  child.unref()
}
