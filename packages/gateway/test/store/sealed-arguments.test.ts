// Arguments of calls that wait for approval: the files of the data directory never show them.
import { join } from 'node:path'
import fc from 'fast-check'
import type { PendingApproval } from 'toolwire/guard'
import { describe, expect, it } from 'vitest'
import { howMany } from '../../../toolwire/test/soak.js'
import { openDatabase } from '../../src/store/database/connection.js'
import { migrate } from '../../src/store/database/migrations.js'
import type { Store } from '../../src/store/store.js'
import { asked } from '../support/approval-requests.js'
import { until } from '../support/running-gateway.js'
import { newDirectory, newStore } from '../support/stores.js'
import { bytesIn, read, tamper } from '../support/tampered-log.js'

/** All the ways in which a wait can end. */
const endings = {
  allowed: ({ approvals }: Store, { id }: PendingApproval) => approvals.decide(id, 'allow', 'ada'),
  denied: ({ approvals }: Store, { id }: PendingApproval) => approvals.decide(id, { deny: 'no' }),
  'denied with all others': ({ approvals }: Store) => approvals.denyAll({}, { by: 'ada' }),
  'allowed and made': async ({ approvals }: Store, { id, digest }: PendingApproval) => {
    await approvals.decide(id, 'allow')
    await approvals.release(id, digest)
  },
  'given up': ({ approvals }: Store, { id }: PendingApproval) => approvals.withdraw(id),
  'given up by its caller, and then denied': async ({ approvals }: Store, { id }: PendingApproval) => {
    await approvals.leave?.(id)
    await approvals.decide(id, 'deny')
  },
} as const

/** The stored bytes. The key in the same directory could open them. */
function sealedBytes(directory: string, id: string): Uint8Array {
  const [row] = read(directory, `SELECT hex(sealed) AS sealed FROM approvals WHERE id = '${id}'`)
  return Buffer.from(String(row?.sealed), 'hex')
}

describe('the arguments of a pending call', () => {
  it('are in no file in plain text, and even the sealed ones are removed after any kind of decision', async () => {
    const kinds = fc.record({
      how: fc.constantFrom(...(Object.keys(endings) as (keyof typeof endings)[])),
      size: fc.constantFrom(10, 3_000, 60_000),
      others: fc.integer({ min: 0, max: 3 }),
      restarts: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(kinds, async ({ how, size, others, restarts }) => {
        const directory = newDirectory()
        const marker = `the secret of ${Math.random()}`
        const text = marker.padEnd(size, '.')
        let store = await newStore({}, directory)
        const request = asked({ arguments: { text }, display: `text: ${text}` })
        await store.approvals.add(request, 100)
        for (let n = 0; n < others; n++) await store.approvals.add(asked({ arguments: { n } }), 100)
        if (restarts) {
          await store.close()
          store = await newStore({}, directory)
        }
        expect((await store.approvals.waiting(request.id))?.asked).toMatchObject({ arguments: { text } })
        const sealed = sealedBytes(directory, request.id)
        expect([sealed.length > text.length, bytesIn(directory, sealed.subarray(0, 40))]).toEqual([true, true])
        expect(bytesIn(directory, marker)).toBe(false)

        await endings[how](store, request)
        await until(() => !bytesIn(directory, sealed.subarray(0, 40)))
        expect(bytesIn(directory, marker)).toBe(false)
        expect((await store.approvals.find(request.id))?.asked).toMatchObject({ arguments: { text } })
        await store.close()

        const after = await newStore({}, directory)
        expect(await after.approvals.find(request.id)).toMatchObject({ asked: { arguments: {} }, isForgotten: true })
        expect(bytesIn(directory, marker)).toBe(false)
        await after.close()
      }),
      { numRuns: howMany(4, 14) },
    )
  })

  it('are removed after the request expires and pending writes complete', async () => {
    const directory = newDirectory()
    const { approvals } = await newStore({}, directory)
    const request = asked({ arguments: { text: 'for a moment' }, expiresAt: Date.now() + 3_000 })
    await approvals.add(request, 100)
    const sealed = sealedBytes(directory, request.id)
    await until(() => !bytesIn(directory, sealed.subarray(0, 40)))
    expect(await approvals.find(request.id)).toMatchObject({ is: { state: 'expired' } })
  })

  it('are sealed when an older version stored them unsealed, and those of decided calls are removed', async () => {
    const directory = newDirectory()
    const first = await newStore({}, directory)
    const [waits, over] = [asked({ arguments: { to: 'those who wait' } }), asked({ arguments: { to: 'those before' } })]
    for (const one of [waits, over]) await first.approvals.add(one, 10)
    await first.approvals.decide(over.id, 'deny')
    await first.close()
    const plain = ({ id, arguments: args }: PendingApproval) =>
      `UPDATE approvals SET asked = json_set(asked, '$.display', '', '$.arguments', json('${JSON.stringify(args)}')) WHERE id = '${id}';`
    tamper(
      directory,
      `DROP TRIGGER approvals_decided; ALTER TABLE approvals DROP COLUMN sealed; ${plain(waits)} ${plain(over)} PRAGMA user_version=3`,
    )
    expect(['those who wait', 'those before'].map((text) => bytesIn(directory, text))).toEqual([true, true])
    const { approvals } = await newStore({}, directory)
    await until(() => !['those who wait', 'those before'].some((text) => bytesIn(directory, text)))
    expect(await approvals.pending()).toMatchObject([{ id: waits.id, arguments: { to: 'those who wait' } }])
    expect(await approvals.decide(waits.id, 'allow')).toBe(true)
  })

  it('of an older version are erased from the file, even if the first start was killed before the rewrite', async () => {
    const directory = newDirectory()
    const first = await newStore({}, directory)
    await first.approvals.add(asked(), 10)
    await first.close()
    const deleted = 'a call that was deleted'
    tamper(
      directory,
      `PRAGMA secure_delete = OFF; CREATE TABLE before (text TEXT); INSERT INTO before VALUES ('${deleted}'); DROP TABLE before;
       DROP TRIGGER approvals_decided; ALTER TABLE approvals DROP COLUMN sealed; PRAGMA user_version = 3;
       UPDATE approvals SET asked = json_set(asked, '$.arguments', json('{}'), '$.display', '{}')`,
    )
    const killed = openDatabase(join(directory, 'toolwire.db'))
    migrate(killed)
    killed.close()
    expect(bytesIn(directory, deleted)).toBe(true)
    const second = await newStore({}, directory)
    await until(() => !bytesIn(directory, deleted))
    await second.close()
    // The next start does not rewrite the file again.
    expect(read(directory, `SELECT name FROM state WHERE name = 'unerased'`)).toEqual([])
  })

  it('that cannot be decrypted with the current vault key are denied with a message', async () => {
    const directory = newDirectory()
    const keyed = (letter: string) => ({ vaultKey: letter.repeat(64) })
    const first = await newStore(keyed('a'), directory)
    const request = asked()
    await first.approvals.add(request, 10)
    await first.close()
    const notes: string[] = []
    const { approvals } = await newStore({ ...keyed('b'), onNote: (words) => notes.push(words) }, directory)
    expect(notes).toEqual([expect.stringContaining('The vault key opens no pending approval')])
    expect(await approvals.pending()).toEqual([])
    expect(await approvals.find(request.id)).toMatchObject({ is: { state: 'denied' }, by: 'toolwire' })
  })

  it('that were changed on disk deny no other request after a restart, whichever was pending first', async () => {
    const directory = newDirectory()
    const first = await newStore({}, directory)
    const [damaged, other] = [asked(), asked({ arguments: { pay: 1 } })]
    for (const each of [damaged, other]) await first.approvals.add(each, 10)
    await first.close()
    tamper(directory, `UPDATE approvals SET sealed = x'00' WHERE id = '${damaged.id}'`)
    const notes: string[] = []
    const { approvals } = await newStore({ onNote: (words) => notes.push(words) }, directory)
    expect(await approvals.pending()).toMatchObject([
      { id: damaged.id, display: expect.stringContaining('cannot be read') },
      { id: other.id, arguments: { pay: 1 } },
    ])
    expect(notes).toEqual([])
  })

  it('that were changed on disk are shown as unreadable, and not replaced by those of another request', async () => {
    const directory = newDirectory()
    const first = await newStore({}, directory)
    const [one, other] = [asked({ arguments: { pay: 1 } }), asked({ arguments: { pay: 1_000_000 } })]
    for (const each of [one, other]) await first.approvals.add(each, 10)
    await first.close()
    tamper(
      directory,
      `UPDATE approvals SET sealed = (SELECT sealed FROM approvals WHERE id = '${one.id}') WHERE id = '${other.id}'`,
    )
    const { approvals } = await newStore({}, directory)
    expect(await approvals.pending()).toMatchObject([
      { id: one.id, arguments: { pay: 1 } },
      { id: other.id, arguments: {}, display: expect.stringContaining('cannot be read') },
    ])
    expect([await approvals.find(one.id), await approvals.find(other.id)]).toMatchObject([
      expect.not.objectContaining({ isUnreadable: true }),
      { isUnreadable: true },
    ])
  })
})
