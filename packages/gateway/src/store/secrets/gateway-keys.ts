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

function given(name: KeyName, { vaultKey, auditKey }: GivenKeys): string | undefined {
  const said = name === 'vault' ? vaultKey : auditKey
  return (said ?? process.env[keyVariables[name]]) || undefined
}

/** True if the key is neither given nor in the directory, so that it would be created. */
export const isKeyMissing = (name: KeyName, directory: string, keys: GivenKeys): boolean =>
  given(name, keys) === undefined && !existsSync(join(directory, keyFiles[name]))

export async function vaultKeyIn(directory: string, keys: GivenKeys): Promise<Uint8Array> {
  const said = given('vault', keys)
  if (said !== undefined) return readVaultKey(said, keyVariables.vault)
  const file = join(directory, keyFiles.vault)
  return readVaultKey(await readOrCreateSecret(file, newVaultKey), file)
}

/** The key as PEM. */
export async function auditKeyIn(directory: string, keys: GivenKeys): Promise<string> {
  const said = given('audit', keys)
  if (said === undefined) return readOrCreateSecret(join(directory, keyFiles.audit), newSigningKey)
  // Some environments cannot hold line breaks, so they are written as \n.
  if (said.startsWith('-----BEGIN')) return said.replaceAll('\\n', '\n')
  const { machine } = await import('toolwire/relay')
  try {
    return new TextDecoder().decode(await machine.readRegular(said))
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
