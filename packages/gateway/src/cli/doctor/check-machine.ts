import { access, constants, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { isStrongKey } from '../../access/key-strength.js'
import type { GatewayConfig } from '../../config/index.js'
import type { CommandInput } from '../command.js'
import { type DoctorFinding, errorFinding, okFinding, warningFinding } from './finding.js'

const oldest = [20, 19] as const

export function checkNode(version: string = process.versions.node): DoctorFinding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isNewEnough = major > oldest[0] || (major === oldest[0] && minor >= oldest[1])
  if (isNewEnough) return okFinding('node', `version ${version}`)
  return errorFinding('node', `version ${version} is too old. Install ${oldest.join('.')} or newer`)
}

/** A gateway does not start with a weak key. */
export function checkKey({ TOOLWIRE_API_KEY: key }: CommandInput['env']): DoctorFinding[] {
  if (!key || isStrongKey(key)) return []
  const message = 'TOOLWIRE_API_KEY is too weak, so no gateway starts with it. Create a strong key with: openssl rand -hex 32'
  return [errorFinding('key', message)]
}

/** A port in use is fine if the gateway itself uses it. */
export async function checkPort({ host, port }: GatewayConfig, gateway: string | undefined): Promise<DoctorFinding> {
  const taken = await attempt(host, port)
  const gatewayAnswers = gateway !== undefined && new URL(gateway).port === String(port)
  if (taken === undefined) return okFinding('port', `${host}:${port} is free`)
  if (taken === 'EADDRINUSE' && gatewayAnswers) return okFinding('port', `${host}:${port} is used by the running gateway`)
  if (taken === 'EADDRINUSE')
    return errorFinding('port', `${host}:${port} is used by another program. Choose another port with --port`)
  return errorFinding('port', `${host}:${port} cannot be used (${taken}). Choose another address with --host and --port`)
}

function attempt(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}

/** Checks the folder itself, or the nearest existing folder above it. */
export async function checkDataDir({ dataDir }: GatewayConfig): Promise<DoctorFinding> {
  try {
    const found = await stat(dataDir).catch(() => undefined)
    if (found && !found.isDirectory()) return errorFinding('data', `${dataDir} is not a folder. Choose another with --data-dir`)
    await access(found ? dataDir : await existing(dirname(dataDir)), constants.W_OK)
    if (found && process.platform !== 'win32' && (found.mode & 0o077) !== 0)
      return warningFinding('data', `${dataDir} is open to other users of this machine. Run chmod 700 on it`)
    return okFinding('data', `${dataDir} is writable`)
  } catch {
    return errorFinding('data', `${dataDir} is not writable. Change its permissions, or choose another with --data-dir`)
  }
}

async function existing(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => undefined)
  return found || dirname(folder) === folder ? folder : existing(dirname(folder))
}
