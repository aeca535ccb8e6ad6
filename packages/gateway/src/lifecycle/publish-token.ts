// Writes the management token where the operator's commands find it.
import type { GatewayConfig } from '../config/gateway-config.js'
import { reachableHost } from '../config/own-address.js'
import { defaultDataDir, homeOf, machineOf } from '../config/paths.js'
import type { Environment } from '../config/variables.js'
import { removeDataDirPointer, writeDataDirPointer, writeManagementToken } from '../store/management-token.js'
import type { GatewayLog } from './gateway-log.js'

type Listening = { readonly token: string; readonly address: string; readonly port: number }
type Place = { readonly config: GatewayConfig; readonly env: Environment; readonly log: GatewayLog }

/** Returns a function that removes the pointer to the token. The token stays, but is worthless once the gateway has ended. */
export function publishToken({ token, address, port }: Listening, { config, env, log }: Place): () => void {
  const { dataDir, source, store, trust, policy, port: wanted } = config
  // Commands look in the default directory first. A process may have no home directory.
  const usual = homeOf(env) === undefined ? dataDir : defaultDataDir(machineOf({ env, cwd: process.cwd() }))
  try {
    const given = { ...(source !== undefined && { source }), ...(typeof policy === 'string' && { policy }) }
    const isShared = source === undefined && store !== undefined
    const places = { ...given, ...(isShared && { isShared }), found: trust?.found === true, dataDir, port: wanted }
    writeManagementToken(dataDir, { token, origin: `http://${reachableHost(address)}:${port}`, places })
  } catch (thrown) {
    const message = `The management token in ${dataDir} cannot be written, so commands need a key to manage this gateway: ${why(thrown)}`
    log.write('warning', message)
    return () => undefined
  }
  if (usual === dataDir) return () => undefined
  try {
    writeDataDirPointer(usual, port, dataDir)
  } catch (thrown) {
    const message = `Commands find this gateway's token only with TOOLWIRE_DATA_DIR, because ${usual} cannot be written: ${why(thrown)}`
    log.write('debug', message)
  }
  return () => removeDataDirPointer(usual, port, dataDir)
}

const why = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))
