// A key that cannot be used is refused before the store is opened, with its place and what is expected there.
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newSigningKey } from '../../src/store/audit/signed-head.js'
import type { StoreOptions } from '../../src/store/open-store.js'
import { append, intentOf, newDirectory, newStore, outcomeOf } from '../support/stores.js'
import { read, tamper } from '../support/tampered-log.js'

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

describe('the signing key of a data directory with a log', () => {
  /** A log whose beginning retention has dropped, and its signed head. */
  async function written() {
    const directory = newDirectory()
    const store = await newStore({}, directory)
    await append(store, intentOf(1), outcomeOf(1), intentOf(2), outcomeOf(2))
    await store.audit.retain({ records: 2 })
    const head = store.audit.signHead()!
    await store.close()
    return { directory, head, file: join(directory, 'audit.key') }
  }

  const losses: { readonly [how: string]: (file: string) => StoreOptions } = {
    'is missing'(file) {
      rmSync(file)
      return {}
    },
    'was replaced'(file) {
      writeFileSync(file, newSigningKey())
      return {}
    },
    'is not the given one': () => ({ auditKey: newSigningKey() }),
  }

  it.each(Object.keys(losses))('that %s is refused, and then replaced only if the operator names it', async (how) => {
    const { directory, head, file } = await written()
    const options = losses[how]!(file)
    const kept = existsSync(file) && readFileSync(file, 'utf8')
    const advice = `start the gateway once with TOOLWIRE_REPLACED_AUDIT_KEY=${head.key}`
    for (const replacedAuditKey of [undefined, newSigningKey()])
      await expect(newStore({ ...options, replacedAuditKey }, directory)).rejects.toThrow(advice)
    expect(existsSync(file) && readFileSync(file, 'utf8')).toBe(kept)

    const notes: string[] = []
    const onNote = (words: string) => void notes.push(words)
    const replaced = await newStore({ ...options, replacedAuditKey: head.key, onNote }, directory)
    const { publicKey } = replaced.audit
    expect(notes).toEqual([expect.stringContaining(`signed with the key ${publicKey} from now on`)])
    expect(await replaced.audit.verify()).toMatchObject({ ok: true, entries: 4 })
    expect((await replaced.audit.record(5))?.record).toMatchObject({
      ...{ tool: 'toolwire/replace-signing-key', arguments: { before: head.key, now: publicKey } },
    })
    expect(await replaced.audit.checkWitnessed([head])).toMatchObject({ ok: false, why: expect.stringContaining('another key') })
    await replaced.close()
    const later = await newStore({ ...options, onNote }, directory)
    expect(await later.audit.verify()).toMatchObject({ ok: true, entries: 4 })
    expect(later.audit.publicKey).toBe(publicKey)
    expect(notes).toHaveLength(1)
  })

  const known = `SELECT value FROM state WHERE name = 'audit key'`

  it('of an older version is kept without a question, and a missing one is not created', async () => {
    const { directory, head, file } = await written()
    tamper(directory, `DELETE FROM state WHERE name = 'audit key'`)
    await (await newStore({}, directory)).close()
    expect(read(directory, known)).toEqual([{ value: head.key }])
    tamper(directory, `DELETE FROM state WHERE name = 'audit key'`)
    rmSync(file)
    await expect(newStore({}, directory)).rejects.toThrow(`openssl genpkey -algorithm ed25519 -out ${file}`)
    expect(existsSync(file)).toBe(false)
  })

  it('may be any key while nothing is signed', async () => {
    const directory = newDirectory()
    await (await newStore({}, directory)).close()
    const store = await newStore({ auditKey: newSigningKey(), onNote: () => expect.unreachable() }, directory)
    expect(read(directory, known)).toEqual([{ value: store.audit.publicKey }])
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
