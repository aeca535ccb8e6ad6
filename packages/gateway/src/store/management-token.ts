// The credential of the account that runs the gateway: a file in its data directory that no other account can read. Each start
// creates a new one, so a token captured on the port while the gateway was down is worthless.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivateFile } from './data-directory.js'

export const managementTokenFile = 'management.token'
const pointers = 'gateways'

/** The token, with the origin of the only gateway that it is sent to. */
type ManagementToken = { readonly token: string; readonly origin: string }

/** 256 bits. */
export const newManagementToken = (): string => `twm_${randomBytes(32).toString('base64url')}`

export function writeManagementToken(dataDir: string, { token, origin }: ManagementToken): void {
  writePrivateFile(dataDir, managementTokenFile, `${token}\n${origin}\n`)
}

/** Returns undefined if there is no token, or none that this account may read. */
export function readManagementToken(dataDir: string): ManagementToken | undefined {
  const [token = '', origin = ''] = linesIn(join(dataDir, managementTokenFile))
  return /^twm_[\w-]{43}$/.test(token) && URL.canParse(origin) ? { token, origin } : undefined
}

/** True for the data directory of a version that had no token yet. */
export const hasNoToken = (dataDir: string): boolean =>
  existsSync(join(dataDir, 'toolwire.db')) && !existsSync(join(dataDir, managementTokenFile))

/** Tells commands of this account where the gateway at this port keeps its data. */
export function writeDataDirPointer(usual: string, port: number, dataDir: string): void {
  writePrivateFile(join(usual, pointers), String(port), `${dataDir}\n`)
}

/** Removes the pointer, unless another gateway has taken this port since. */
export function removeDataDirPointer(usual: string, port: number, dataDir: string): void {
  if (readDataDirPointer(usual, String(port)) === dataDir) rmSync(join(usual, pointers, String(port)), { force: true })
}

export const readDataDirPointer = (usual: string, port: string): string | undefined =>
  linesIn(join(usual, pointers, port))[0] || undefined

function linesIn(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n')
  } catch {
    return [] // missing or unreadable: both mean that there is none
  }
}
