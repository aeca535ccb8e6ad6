// Leaves the credential of the operator where the operator's commands find it.
import type { GatewayConfig } from '../config/gateway-config.js'
import { removeDataDirPointer, writeDataDirPointer, writeManagementToken } from '../store/management-token.js'
import type { GatewayLog } from './gateway-log.js'

type Listening = { readonly token: string; readonly address: string; readonly port: number }
type Place = {
  /** Where commands look first; undefined where this process has no home. */
  readonly usualDataDir: string | undefined
  readonly news: GatewayLog
}

/** Gives what takes back where it has pointed. The token itself stays, and is worth nothing once the gateway has gone. */
export function publishToken(
  { dataDir }: Pick<GatewayConfig, 'dataDir'>,
  { token, address, port }: Listening,
  { usualDataDir, news }: Place,
): () => void {
  const nothing = () => undefined
  try {
    writeManagementToken(dataDir, { token, origin: `http://${reachable(address)}:${port}` })
  } catch (thrown) {
    news.write(
      'warning',
      `Commands need a key to manage this gateway, as the token in ${dataDir} cannot be written: ${why(thrown)}`,
    )
    return nothing
  }
  if (usualDataDir === undefined || usualDataDir === dataDir) return nothing
  try {
    writeDataDirPointer(usualDataDir, port, dataDir)
  } catch (thrown) {
    news.write(
      'debug',
      `Commands find this gateway's token by TOOLWIRE_DATA_DIR alone, as ${usualDataDir} cannot be written: ${why(thrown)}`,
    )
  }
  return () => removeDataDirPointer(usualDataDir, port, dataDir)
}

/** One that listens everywhere is reached here. */
function reachable(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  if (address === '::') return '[::1]'
  return address.includes(':') ? `[${address}]` : address
}

const why = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))
