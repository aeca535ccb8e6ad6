// The credential of the account that runs the gateway: a file in its data directory that no other account can read. Each start
// creates a new one, so a token captured on the port while the gateway was down is worthless.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivateFile } from './data-directory.js'

export const managementTokenFile = 'management.token'
const pointers = 'gateways'

/** With the origin of the gateway that takes it: it is shown to no other one. */
type ManagementToken = { readonly token: string; readonly origin: string }

/** 256 bits. */
export const newManagementToken = (): string => `twm_${randomBytes(32).toString('base64url')}`

export function writeManagementToken(dataDir: string, { token, origin }: ManagementToken): void {
  writePrivateFile(dataDir, managementTokenFile, `${token}\n${origin}\n`)
}

/** Undefined where there is none, or none that this account may read. */
export function readManagementToken(dataDir: string): ManagementToken | undefined {
  const [token = '', origin = ''] = linesIn(join(dataDir, managementTokenFile))
  return /^twm_[\w-]{43}$/.test(token) && URL.canParse(origin) ? { token, origin } : undefined
}

/** A data directory of a version that had no token yet. */
export const hasNoToken = (dataDir: string): boolean =>
  existsSync(join(dataDir, 'toolwire.db')) && !existsSync(join(dataDir, managementTokenFile))

/** Where commands of this account look for a gateway at this port that keeps its data elsewhere. */
export function writeDataDirPointer(usual: string, port: number, dataDir: string): void {
  writePrivateFile(join(usual, pointers), String(port), `${dataDir}\n`)
}

/** Another gateway may have come to this port since. */
export function removeDataDirPointer(usual: string, port: number, dataDir: string): void {
  if (readDataDirPointer(usual, String(port)) === dataDir) rmSync(join(usual, pointers, String(port)), { force: true })
}

export const readDataDirPointer = (usual: string, port: string): string | undefined =>
  linesIn(join(usual, pointers, port))[0] || undefined

function linesIn(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n')
  } catch {
    return [] // it is not there, or not for us: both mean that there is none
  }
}
