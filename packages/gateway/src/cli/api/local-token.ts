// The management token of a gateway that runs under this account, found by the gateway's address.
import type { JsonObject } from 'toolwire'
import { isLoopback } from '../../config/own-address.js'
import { defaultDataDir, machineOf } from '../../config/paths.js'
import type { Environment } from '../../config/variables.js'
import { readDataDirPointer, readManagementToken } from '../../store/management-token.js'

/** A token, and the gateway's numeric address: a name could resolve to another listener on the same port. */
type LocalToken = { readonly token: string; readonly url: string; readonly places?: JsonObject }

/** The token of a gateway on this machine that this account can read; otherwise undefined. */
export function localTokenFor(url: string, env: Environment): LocalToken | undefined {
  const { hostname, port, protocol } = new URL(url)
  if (protocol !== 'http:') return undefined
  for (const directory of tokenDirectoriesFor(port || '80', env)) {
    const found = readManagementToken(directory)
    if (!found) continue
    const own = new URL(found.origin)
    if (own.port === port && isLoopbackNumber(own.hostname) && (hostname === own.hostname || hostname === 'localhost'))
      return { token: found.token, url: found.origin, ...(found.places && { places: found.places }) }
  }
  return undefined
}

/** The directories to search for tokens, the likeliest first. */
export function tokenDirectoriesFor(port: string, env: Environment): string[] {
  const usual = defaultDataDir(machineOf({ env, cwd: process.cwd() }))
  return [env.TOOLWIRE_DATA_DIR, readDataDirPointer(usual, port), usual].flatMap((one) => one || [])
}

const isLoopbackNumber = (hostname: string): boolean => hostname !== 'localhost' && isLoopback(hostname)
