// The keys of a gateway: each from an environment variable, or from a file of the data directory that is created on first use.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../../config/variables.js'
import { newSigningKey } from '../audit/signed-head.js'
import { readOrCreateSecret } from '../data-directory.js'
import { newVaultKey, readVaultKey } from './seal.js'

export type GivenKeys = {
  /** For the sealed credentials: 32 bytes as hexadecimal or base64. Without it, `TOOLWIRE_VAULT_KEY` or a file in the data directory. */
  readonly vaultKey?: string | undefined
  /** Signs heads of the audit log: a private key as PEM, or its file. Without it, `TOOLWIRE_AUDIT_KEY` or a file in the data directory. */
  readonly auditKey?: string | undefined
}

export const storeKeysIn = (env: Environment): GivenKeys => ({
  vaultKey: env.TOOLWIRE_VAULT_KEY,
  auditKey: env.TOOLWIRE_AUDIT_KEY,
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
  if (given !== undefined) return readVaultKey(given, keyVariables.vault)
  const file = join(directory, keyFiles.vault)
  return readVaultKey(await readOrCreateSecret(file, newVaultKey), file)
}

/** The key as PEM. */
export async function auditKeyIn(directory: string, keys: GivenKeys): Promise<string> {
  const given = givenKey('audit', keys)
  if (given === undefined) return readOrCreateSecret(join(directory, keyFiles.audit), newSigningKey)
  // Some environments cannot hold line breaks, so they are written as \n.
  if (given.startsWith('-----BEGIN')) return given.replaceAll('\\n', '\n')
  const { machine } = await import('toolwire/relay')
  try {
    return new TextDecoder().decode(await machine.readRegular(given))
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Error(
      `${keyVariables.audit} names no file that can be read (${why}). Set it to a private key as PEM, or its path.`,
      {
        cause,
      },
    )
  }
}

/** The key of the log without a change to its file, whose mode is set otherwise. */
export const existingAuditKey = (directory: string, keys: GivenKeys): Promise<string> =>
  auditKeyIn(directory, { auditKey: givenKey('audit', keys) ?? join(directory, keyFiles.audit) })
