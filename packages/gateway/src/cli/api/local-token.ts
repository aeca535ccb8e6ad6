// The credential of a gateway that runs as this account, found by where it listens.
import { isLoopback } from '../../config/own-address.js'
import { defaultDataDir, machineOf } from '../../config/paths.js'
import type { Environment } from '../../config/variables.js'
import { readDataDirPointer, readManagementToken } from '../../store/management-token.js'

/** What it is shown, and the address by its number: a name may lead to somebody else who listens at the same port. */
type LocalToken = { readonly token: string; readonly url: string }

/** Undefined for every gateway but one of this machine that has left its token for this account. */
export function localTokenFor(url: string, env: Environment): LocalToken | undefined {
  const { hostname, port, protocol } = new URL(url)
  if (protocol !== 'http:') return undefined
  for (const directory of tokenDirectoriesFor(port || '80', env)) {
    const found = readManagementToken(directory)
    if (!found) continue
    const own = new URL(found.origin)
    if (own.port === port && isLoopbackNumber(own.hostname) && (hostname === own.hostname || hostname === 'localhost'))
      return { token: found.token, url: found.origin }
  }
  return undefined
}

/** Where tokens are looked for, the likeliest first. */
export function tokenDirectoriesFor(port: string, env: Environment): string[] {
  const usual = defaultDataDir(machineOf({ env, cwd: process.cwd() }))
  return [env.TOOLWIRE_DATA_DIR, readDataDirPointer(usual, port), usual].flatMap((one) => one || [])
}

const isLoopbackNumber = (hostname: string): boolean => hostname !== 'localhost' && isLoopback(hostname)
