// The keys of a gateway: each from an environment variable, or from a file of the data directory that is created on first use.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../../config/variables.js'
import { type HeadSigner, headSigner, newSigningKey } from '../audit/signed-head.js'
import { readOrCreateSecret } from '../data-directory.js'
import { newVaultKey, readVaultKey } from './seal.js'

export type GivenKeys = {
  /** For the sealed credentials: 32 bytes as hexadecimal or base64. Without it, `TOOLWIRE_VAULT_KEY` or a file in the data directory. */
  readonly vaultKey?: string | undefined
  /** Signs heads of the audit log: a private key as PEM, or its file. Without it, `TOOLWIRE_AUDIT_KEY` or a file in the data directory. */
  readonly auditKey?: string | undefined
  /** The public key of an earlier signing key, which the present one replaces for good. Without it, `TOOLWIRE_REPLACED_AUDIT_KEY`. */
  readonly replacedAuditKey?: string | undefined
}

const replacedKeyVariable = 'TOOLWIRE_REPLACED_AUDIT_KEY'

export const storeKeysIn = (env: Environment): GivenKeys => ({
  vaultKey: env.TOOLWIRE_VAULT_KEY,
  auditKey: env.TOOLWIRE_AUDIT_KEY,
  replacedAuditKey: env[replacedKeyVariable],
})

export const keyFiles = { vault: 'vault.key', audit: 'audit.key' } as const
export const keyVariables = { vault: 'TOOLWIRE_VAULT_KEY', audit: 'TOOLWIRE_AUDIT_KEY' } as const

type KeyName = keyof typeof keyFiles

function givenKey(name: KeyName, { vaultKey, auditKey }: GivenKeys): string | undefined {
  const given = name === 'vault' ? vaultKey : auditKey
  return (given ?? process.env[keyVariables[name]]) || undefined
}

/** True if the key is neither given nor in the directory, so that it would be created. */
export const isKeyMissing = (name: KeyName, directory: string, keys: GivenKeys): boolean =>
  givenKey(name, keys) === undefined && !existsSync(join(directory, keyFiles[name]))

export async function vaultKeyIn(directory: string, keys: GivenKeys): Promise<Uint8Array> {
  const given = givenKey('vault', keys)
  if (given !== undefined) return readVaultKey(given, keyVariables.vault, setVaultKey)
  const file = join(directory, keyFiles.vault)
  return readVaultKey(await readOrCreateSecret(file, newVaultKey), file, `Restore it from a backup. ${lossOfVaultKey}`)
}

/** Refuses a given key that is not the key in the directory, whose data and log go with that one. */
export async function refuseDifferentKeys(directory: string, keys: GivenKeys): Promise<void> {
  const inFiles = { vaultKey: '', auditKey: '' }
  const isSame = {
    vault: async () => Buffer.compare(await vaultKeyIn(directory, keys), await vaultKeyIn(directory, inFiles)) === 0,
    audit: async () => (await auditSignerIn(directory, keys)).publicKey === (await auditSignerIn(directory, inFiles)).publicKey,
  }
  for (const name of ['vault', 'audit'] as const) {
    const file = join(directory, keyFiles[name])
    if (givenKey(name, keys) === undefined || !existsSync(file) || (await isSame[name]())) continue
    const variable = keyVariables[name]
    throw new Error(
      `${variable} is not the key in ${file}. Unset ${variable}, and give the file to every gateway. ` +
        `If the gateway used ${variable} and not the file, move the file away.`,
    )
  }
}

const lossOfVaultKey = 'Without that key, stored logins and the arguments of pending calls are lost.'
const setVaultKey = `Set it to the key that the gateway used before. ${lossOfVaultKey} For a new gateway: openssl rand -base64 32`

const createOwnKey = (file: string): Promise<string> => readOrCreateSecret(file, newSigningKey)

/** Signs with the key that is given, or is in the directory. */
export async function auditSignerIn(directory: string, keys: GivenKeys, readOwnKey = createOwnKey): Promise<HeadSigner> {
  const given = givenKey('audit', keys)?.trim()
  if (given === undefined) {
    const file = join(directory, keyFiles.audit)
    return headSigner(await readOwnKey(file), { place: file, advice: restoreSigningKey })
  }
  // Some environments cannot hold line breaks, so they are written as \n.
  if (given.startsWith('-----BEGIN')) return headSigner(given.replaceAll('\\n', '\n'), { place: keyVariables.audit })
  return headSigner(await readGivenFile(given), { place: `${given}, which ${keyVariables.audit} names,` })
}

/** Changes no file: neither a missing one nor the mode of an existing one. */
export const existingAuditSigner = (directory: string, keys: GivenKeys): Promise<HeadSigner> =>
  auditSignerIn(directory, keys, readText)

async function readText(path: string): Promise<string> {
  const { machine } = await import('toolwire/relay')
  return new TextDecoder().decode(await machine.readRegular(path))
}

/** The public key that has signed the log until now, if the data directory knows it. */
type SignedLog = { readonly directory: string; readonly keys: GivenKeys; readonly known: string | undefined }

/** Throws if a signing key would be created beside a log, which another key has signed. */
export function refuseMissingSigner({ directory, keys, known }: SignedLog): void {
  if (!isKeyMissing('audit', directory, keys) || isReplaced(keys, known)) return
  const file = join(directory, keyFiles.audit)
  const anotherKey =
    known === undefined ? `create another one: openssl genpkey -algorithm ed25519 -out ${file}` : replacingKey(known)
  throw new Error(
    `${file} is missing, which signs the audit log in that directory. ${restoreSigningKey} If it is lost, ${anotherKey}`,
  )
}

/** Throws if the log was signed with another key. */
export function refuseOtherSigner({ publicKey }: HeadSigner, { directory, keys, known }: SignedLog): void {
  if (known === undefined || known === publicKey || isReplaced(keys, known)) return
  const place = givenKey('audit', keys) === undefined ? join(directory, keyFiles.audit) : keyVariables.audit
  throw new Error(
    `${place} is not the key that signed the audit log in ${directory}. ${restoreSigningKey} ` +
      `If it is lost, or you have replaced it on purpose, ${replacingKey(known)}`,
  )
}

const isReplaced = ({ replacedAuditKey = process.env[replacedKeyVariable] }: GivenKeys, known: string | undefined): boolean =>
  known !== undefined && replacedAuditKey?.trim() === known

const replacingKey = (known: string): string =>
  `start the gateway once with ${replacedKeyVariable}=${known}: it then signs with the present key or with a new one, and records that.`

const restoreSigningKey =
  'Restore it from a backup. With another key, the log no longer matches its witnesses, and a log that begins after dropped records cannot be verified.'

async function readGivenFile(path: string): Promise<string> {
  try {
    return await readText(path)
  } catch (thrown) {
    // The path is not shown, because it may be a key whose first line is missing.
    const { why, code } = thrown as { readonly why?: string; readonly code?: string } // of a NotRegular, or of Node
    throw new Error(
      `${keyVariables.audit} names no file that can be read (${why ?? code}). Set it to a private key as PEM, or its path.`,
    )
  }
}
