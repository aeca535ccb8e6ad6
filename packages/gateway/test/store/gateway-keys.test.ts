// A key that cannot be used is refused before the store is opened, with its place and what is expected there.
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newSigningKey } from '../../src/store/audit/signed-head.js'
import { append, intentOf, newDirectory, newStore } from '../support/stores.js'

const pkcs8 = { type: 'pkcs8', format: 'pem' } as const
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export(pkcs8).toString()
const ed448 = generateKeyPairSync('ed448').privateKey.export(pkcs8).toString()
const locked = generateKeyPairSync('ed25519')
  .privateKey.export({ ...pkcs8, cipher: 'aes-256-cbc', passphrase: 'x' })
  .toString()
const create = 'Create one with: openssl genpkey -algorithm ed25519'

describe('a signing key', () => {
  it('of another algorithm is refused, because no head that it signs could be verified', async () => {
    for (const [auditKey, type] of [
      [rsa, 'rsa'],
      [ed448, 'ed448'],
    ] as const)
      await expect(newStore({ auditKey })).rejects.toThrow(
        `TOOLWIRE_AUDIT_KEY must be an Ed25519 private key as PEM, without a password, and holds a key of the type ${type}. ${create}`,
      )
  })

  it('that is no private key is refused with its place and the expected form', async () => {
    const file = join(newDirectory(), 'no.key')
    writeFileSync(file, 'no key')
    const locations = [
      ['-----BEGIN PRIVATE KEY-----\nx', 'TOOLWIRE_AUDIT_KEY'],
      [locked, 'TOOLWIRE_AUDIT_KEY'],
      [file, `${file}, which TOOLWIRE_AUDIT_KEY names,`],
    ]
    for (const [auditKey, place] of locations)
      await expect(newStore({ auditKey })).rejects.toThrow(
        `${place} must be an Ed25519 private key as PEM, without a password. ${create}`,
      )
  })

  it('that was damaged in the data directory is to be restored, and the file is left as it is', async () => {
    const directory = newDirectory()
    await (await newStore({}, directory)).close()
    const file = join(directory, 'audit.key')
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, 40))
    const damaged = readFileSync(file, 'utf8')
    await expect(newStore({}, directory)).rejects.toThrow(
      `${file} must be an Ed25519 private key as PEM, without a password. Restore it from a backup. With another key, `,
    )
    expect(readFileSync(file, 'utf8')).toBe(damaged)
  })

  it('is not printed if it is taken for a path', async () => {
    const auditKey = newSigningKey().split('\n')[1] ?? ''
    const refused = await newStore({ auditKey }).catch((thrown: Error) => thrown.message)
    expect(refused).toContain('TOOLWIRE_AUDIT_KEY names no file that can be read (ENOENT)')
    expect(refused).not.toContain(auditKey)
  })

  it('may begin with line breaks, and may be in a file with other text before it', async () => {
    const [file, pem] = [join(newDirectory(), 'audit.key'), newSigningKey()]
    writeFileSync(file, `Bag Attributes\n${pem}`)
    for (const auditKey of [`\n${pem}`, pem.replaceAll('\n', '\\n'), file]) {
      const store = await newStore({ auditKey })
      await append(store, intentOf(1))
      expect(store.audit.signHead()?.key).toMatch(/^[\w-]{43}$/)
    }
  })
})

describe('a vault key', () => {
  it('that was damaged in the data directory is to be restored, because a new one opens nothing', async () => {
    const directory = newDirectory()
    await (await newStore({}, directory)).close()
    const file = join(directory, 'vault.key')
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, 20))
    const refused = await newStore({}, directory).catch((thrown: Error) => thrown.message)
    expect(refused).toContain(`${file} must hold a key of 32 bytes, as hexadecimal or base64. Restore it from a backup.`)
    expect(refused).toContain('stored logins and the arguments of pending calls are lost')
    expect(refused).not.toContain('openssl')
  })

  it('in the variable may be the first one, or one that was damaged', async () => {
    await expect(newStore({ vaultKey: 'short' })).rejects.toThrow(
      'Set it to the key that the gateway used before. Without that key, stored logins and the arguments of pending calls are lost. For a new gateway: openssl rand -base64 32',
    )
  })
})
