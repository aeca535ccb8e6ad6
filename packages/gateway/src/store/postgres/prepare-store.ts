// Migrates a database to the version of this program, or refuses it without changing anything.
import { createHash, randomBytes } from 'node:crypto'
import type { HeadSigner } from '../audit/signed-head.js'
import {
  auditSignerIn,
  existingAuditSigner,
  type GivenKeys,
  isKeyMissing,
  keyFiles,
  keyVariables,
  vaultKeyIn,
} from '../secrets/gateway-keys.js'
import { deriveKey } from '../secrets/seal.js'
import { StoreFailure } from '../store-failure.js'
import type { Postgres, Sql } from './connection.js'
import { keptKey } from './kept-values.js'
import { migrateAll, withSchemaLock } from './schema/migrate.js'
import { schemaParts } from './schema/store-tables.js'

export type ReplicaKeys = { readonly secret: Uint8Array; readonly signer: HeadSigner }

/** Gateways that start together prepare the store in turn. */
export const prepareStore = (postgres: Postgres, directory: string, given: GivenKeys): Promise<ReplicaKeys> =>
  withSchemaLock(postgres, async (sql) => {
    const keys = await prepareTables(sql, directory, given)
    await sql('DELETE FROM toolwire.state WHERE name = $1', [copiedMark])
    return keys
  })

/** Set in the state when a data directory is copied there, and removed when a gateway starts. */
export const copiedMark = 'copied'

/** Requires a transaction that has the lock of the schema. */
export async function prepareTables(sql: Sql, directory: string, given: GivenKeys): Promise<ReplicaKeys> {
  await migrateAll(sql, schemaParts)
  await refuseOtherKeys(sql, directory, given)
  const secret = await vaultKeyIn(directory, given)
  const signer = await auditSignerIn(directory, given)
  for (const name of keyNames)
    await sql('INSERT INTO toolwire.state (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      `${name} key`,
      await fingerprintOf(name, directory, given),
    ])
  // A shared salt, so that all gateways know a server by the same identity.
  const salt = JSON.stringify(randomBytes(32).toString('hex'))
  await sql(`INSERT INTO toolwire.kept (room, place, key, value) VALUES ('servers', $1, 'salt', $2) ON CONFLICT DO NOTHING`, [
    keptKey('salt'),
    salt,
  ])
  return { secret, signer }
}

/** The signer of a log that gateways have written. The database and the files are left unchanged. */
export async function existingSigner(sql: Sql, directory: string, given: GivenKeys): Promise<HeadSigner> {
  const signer = await existingAuditSigner(directory, given)
  const { audit } = await knownFingerprints(sql)
  if (audit !== undefined && audit !== signer.publicKey) throw otherKey('audit', directory)
  return signer
}

const keyNames = ['vault', 'audit'] as const
type KeyName = (typeof keyNames)[number]

/** Throws for a key that is missing here, or is not that of the gateways that use the database. Creates none. */
export async function refuseOtherKeys(
  sql: Sql,
  directory: string,
  given: GivenKeys,
  names: readonly KeyName[] = keyNames,
): Promise<void> {
  const known = await knownFingerprints(sql)
  for (const name of names) {
    const expected = known[name]
    if (expected === undefined) continue
    const isThere = !isKeyMissing(name, directory, given)
    if (!isThere || (await fingerprintOf(name, directory, given)) !== expected) throw otherKey(name, directory)
  }
}

/** Returns the vault key of the gateways that use the database; throws if it is not here. */
export async function sharedVaultKey(sql: Sql, directory: string, given: GivenKeys): Promise<Uint8Array> {
  if (isKeyMissing('vault', directory, given)) throw otherKey('vault', directory)
  await refuseOtherKeys(sql, directory, given, ['vault'])
  return vaultKeyIn(directory, given)
}

type Fingerprints = { readonly [Name in KeyName]?: string }

async function knownFingerprints(sql: Sql): Promise<Fingerprints> {
  const rows = await sql<{ name: string; value: string }>(
    `SELECT name, value FROM toolwire.state WHERE name IN ('vault key', 'audit key')`,
  )
  return Object.fromEntries(rows.map(({ name, value }) => [name.split(' ')[0], value]))
}

/** Does not reveal the key. */
async function fingerprintOf(name: KeyName, directory: string, given: GivenKeys): Promise<string> {
  if (name === 'audit') return (await auditSignerIn(directory, given)).publicKey
  const secret = await vaultKeyIn(directory, given)
  return createHash('sha256').update(deriveKey(secret, 'toolwire fingerprint')).digest('hex')
}

const purposes = { vault: 'opens the sealed data', audit: 'signs the audit log' } as const

const otherKey = (name: KeyName, directory: string): StoreFailure =>
  new StoreFailure(
    `This gateway does not have the key that ${purposes[name]} in this database. Copy ${keyFiles[name]} from the data directory of a gateway that uses the database to ${directory}, or set ${keyVariables[name]} to the same key for all of them.`,
  )
