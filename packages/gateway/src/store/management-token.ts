// The credential of the account that runs the gateway: a file in its data directory that no other account can read. Each start
// creates a new one, so a token captured on the port while the gateway was down is worthless.
import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from 'toolwire'
import { isObject } from '../json/is-object.js'
import { jsonIn } from '../json/json-in.js'
import { readSmallFile, writePrivateFile } from './data-directory.js'

export const managementTokenFile = 'management.token'
const pointers = 'gateways'

/** The token, with the origin of the only gateway that it is sent to, and the places that this gateway uses. */
type ManagementToken = {
  readonly token: string
  readonly origin: string
  /** Missing if another account, or an older version, has written the file. */
  readonly places?: JsonObject
}

/** 256 bits. */
export const newManagementToken = (): string => `twm_${randomBytes(32).toString('base64url')}`

export function writeManagementToken(dataDir: string, { token, origin, places }: ManagementToken): void {
  const lines = [token, origin, ...(places ? [JSON.stringify(places)] : [])]
  writePrivateFile(dataDir, managementTokenFile, `${lines.join('\n')}\n`)
}

/** Returns undefined if there is no token, or none that this account may read. */
export function readManagementToken(dataDir: string): ManagementToken | undefined {
  const path = join(dataDir, managementTokenFile)
  const [token = '', origin = '', written = ''] = linesIn(path)
  if (!/^twm_[\w-]{43}$/.test(token) || !URL.canParse(origin)) return undefined
  const places = jsonIn(written)
  return { token, origin, ...(isObject(places) && isOwnFile(path) && { places }) }
}

/** Systems without user ids have no directory that all accounts can write. */
const isOwnFile = (path: string): boolean => process.getuid === undefined || statSync(path).uid === process.getuid()

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

const linesIn = (path: string): string[] => readSmallFile(path)?.split('\n') ?? []
