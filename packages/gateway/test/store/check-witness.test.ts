// An attacker who can write everything in the data directory, including its key, but not the copies of a witness.
import { createHash } from 'node:crypto'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import type { AuditRecord } from 'toolwire/guard'
import { expect, it } from 'vitest'
import { howMany } from '../../../toolwire/test/soak.js'
import { droppedHash } from '../../src/store/audit/retention.js'
import { headSigner, newSigningKey, type SignedHead } from '../../src/store/audit/signed-head.js'
import type { Store } from '../../src/store/store.js'
import { checkWitness } from '../../src/store/witness/check-witness.js'
import { append, intentOf, newDirectory, newStore, outcomeOf } from '../support/stores.js'
import { markIn, read, tamper } from '../support/tampered-log.js'

/** The kinds of records in a log: calls, actions of people, and refusals. */
const kinds: readonly ((n: number) => readonly [AuditRecord, AuditRecord])[] = [
  (n) => [intentOf(n), outcomeOf(n, { policyVersion: '0123456789ab' })],
  (n) => [intentOf(n, { tool: 'toolwire/change-policy', caller: 'toolwire' }), outcomeOf(n, { tool: 'toolwire/change-policy' })],
  (n) => [intentOf(n, { arguments: { odd: '\u202e"\\' } }), outcomeOf(n, { decision: 'refused', outcome: 'refused' })],
]

type Written = {
  /** The kind of each call. */
  readonly which: readonly number[]
  readonly directory: string
  readonly begin: number
  readonly end: number
  readonly witness: readonly SignedHead[]
  readonly marks: readonly SignedHead[]
}

/** A log with these calls, a head for the witness after each call, and the oldest records dropped. */
async function written(which: readonly number[], dropped: number): Promise<Written> {
  const directory = newDirectory()
  const store = await newStore({}, directory)
  const witness: SignedHead[] = []
  for (const [n, kind] of which.entries()) {
    await append(store, ...(kinds[kind % kinds.length]?.(n) ?? []))
    const head = store.audit.signHead()
    if (head) witness.push(head)
  }
  const end = which.length * 2
  if (dropped > 0) await store.audit.retain({ records: end - dropped })
  expect(await store.audit.checkWitnessed(witness)).toMatchObject({ ok: true, heads: which.length })
  await store.close()
  const mark = markIn(directory)
  return { directory, which, begin: (mark?.sequence ?? 0) + 1, end, witness, marks: mark ? [mark] : [] }
}

/** Other kinds at each place, because two logs with the same kind of call there have equal records. */
const anotherKind = (which: readonly number[]): number[] => which.map((kind) => kind + 1)

type Row = { readonly sequence: number; readonly hash: string; readonly text: string }
const rowsOf = (directory: string) => read(directory, 'SELECT sequence, hash, text FROM audit ORDER BY sequence') as Row[]
const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
const put = (rows: readonly Row[]) =>
  rows
    .map(({ sequence, hash, text }) => `INSERT OR REPLACE INTO audit VALUES (${sequence}, '${hash}', ${quoted(text)});`)
    .join('\n')

/** The same records with a change in the first one, and matching hashes. */
function rechained(rows: readonly Row[], at: number): Row[] {
  let previous: string | undefined
  return rows
    .filter(({ sequence }) => sequence >= at)
    .map(({ sequence, text }) => {
      const changed = sequence === at ? text.replace('"at":1', '"at":2') : text
      const linked = previous === undefined ? changed : changed.replace(/"previous":"[0-9a-f]{64}"/, `"previous":"${previous}"`)
      previous = createHash('sha256').update(linked).digest('hex')
      return { sequence, hash: previous, text: linked }
    })
}

/** The tampering, whether the log alone reveals it, and the first affected record. */
type Tampering = { readonly byLogAlone: boolean; readonly first: number; readonly witness?: readonly SignedHead[] }

const tamperings: { readonly [what: string]: (log: Written, at: number) => Promise<Tampering> | Tampering } = {
  'a record taken out'({ directory }, at) {
    tamper(directory, `DELETE FROM audit WHERE sequence = ${at}`)
    return { byLogAlone: true, first: at }
  },
  'two swapped records'({ directory }, at) {
    tamper(
      directory,
      `UPDATE audit SET sequence = -1 WHERE sequence = ${at}; UPDATE audit SET sequence = ${at} WHERE sequence = ${at + 1};
       UPDATE audit SET sequence = ${at + 1} WHERE sequence = -1`,
    )
    return { byLogAlone: true, first: at }
  },
  'a record edited'({ directory }, at) {
    tamper(directory, `UPDATE audit SET text = replace(text, '"at":1', '"at":2') WHERE sequence = ${at}`)
    return { byLogAlone: true, first: at }
  },
  'the beginning cut off'({ directory, begin }, at) {
    tamper(directory, `DELETE FROM audit WHERE sequence <= ${at}`)
    return { byLogAlone: true, first: begin }
  },
  'the beginning cut off, with a head of the witness as the mark'({ directory, witness }, at) {
    const head = witness.find(({ sequence }) => sequence >= at)
    tamper(
      directory,
      `DELETE FROM audit WHERE sequence <= ${head?.sequence}; INSERT OR REPLACE INTO state VALUES ('from', '${JSON.stringify(head)}')`,
    )
    return { byLogAlone: true, first: 1 }
  },
  'the end cut off'({ directory }, at) {
    tamper(directory, `DELETE FROM audit WHERE sequence > ${at}`)
    return { byLogAlone: false, first: at + 1 }
  },
  'an end rewritten with matching hashes'({ directory }, at) {
    tamper(directory, put(rechained(rowsOf(directory), at)))
    return { byLogAlone: false, first: firstWitnessed(at) }
  },
  async 'an end from another log'({ directory, which }, at) {
    const other = await written(anotherKind(which), 0)
    tamper(directory, put(rowsOf(other.directory).filter(({ sequence }) => sequence > at)))
    return { byLogAlone: true, first: at + 1 }
  },
  async 'a replaced log'({ directory, which, witness }) {
    const other = await written(anotherKind(which), 0)
    for (const name of ['toolwire.db', 'audit.key']) copyFileSync(join(other.directory, name), join(directory, name))
    return { byLogAlone: false, first: witness[0]?.sequence ?? 0 }
  },
  'another key'({ directory, witness, begin }) {
    tamper(directory, `DELETE FROM state WHERE name = 'audit key'`)
    writeFileSync(join(directory, 'audit.key'), newSigningKey())
    // The retention mark was signed with the old key.
    return { byLogAlone: begin > 1, first: begin > 1 ? 1 : (witness[0]?.sequence ?? 0) }
  },
  'a line of the witness edited'({ witness }, at) {
    const changed = witness.map((head) => (head.sequence === firstWitnessed(at) ? { ...head, hash: '0'.repeat(64) } : head))
    return { byLogAlone: false, first: firstWitnessed(at), witness: changed }
  },
  'a retention mark among the heads of the witness'({ witness, marks, end }) {
    const [mark] = marks
    return mark
      ? {
          byLogAlone: false,
          first: mark.sequence,
          witness: [...witness.filter(({ sequence }) => sequence !== mark.sequence), mark],
        }
      : { byLogAlone: false, first: end + 1, witness: [...witness, { ...(witness[0] as SignedHead), sequence: end + 1 }] }
  },
}

/** The witness has every second record. */
const firstWitnessed = (at: number) => at + (at % 2)

/** Like `toolwire audit verify --witness`. */
async function namedBy(store: Store, witness: readonly SignedHead[]): Promise<{ alone: boolean; first: number; why: string }> {
  const [log, witnessed] = [await store.audit.verify(), await store.audit.checkWitnessed(witness)]
  const faults = [log, witnessed].flatMap((verdict) => (verdict.ok ? [] : [verdict]))
  const [first] = faults.sort((one, other) => one.sequence - other.sequence)
  return { alone: !log.ok, first: first?.sequence ?? 0, why: first?.why ?? '' }
}

it.each(Object.keys(tamperings))('%s is detected, with the first affected record', async (what) => {
  const logs = {
    which: fc.array(fc.nat({ max: 2 }), { minLength: 4, maxLength: 7 }),
    dropped: fc.constantFrom(0, 0, 1, 2),
    pick: fc.nat({ max: 1_000 }),
  }
  await fc.assert(
    fc.asyncProperty(logs.which, logs.dropped, logs.pick, async (which, dropped, pick) => {
      const log = await written(which, dropped)
      const at = log.begin + 1 + (pick % (log.end - log.begin - 1))
      const { byLogAlone, first, witness = log.witness } = (await tamperings[what]?.(log, at)) ?? { byLogAlone: false, first: 0 }
      const store = await newStore({ onNote: () => undefined }, log.directory)
      const found = await namedBy(store, witness)
      expect(found, `${what} at ${at}: ${found.why}`).toMatchObject({ alone: byLogAlone, first })
      expect(found.why).toMatch(/./)
      await store.close()
    }),
    { numRuns: howMany(1, 4) },
  )
})

it('accepts an unchanged log, also after retention has dropped its beginning', async () => {
  const { directory, witness } = await written([0, 1, 2, 0], 3)
  const { audit } = await newStore({}, directory)
  expect(await audit.verify()).toMatchObject({ ok: true })
  expect(await audit.checkWitnessed(witness)).toEqual({ ok: true, heads: 4, dropped: 1 })
})

it('compares the head of the last dropped record', async () => {
  const { directory, witness } = await written([0, 1, 2, 0], 2)
  const { audit } = await newStore({}, directory)
  expect(await audit.checkWitnessed(witness)).toEqual({ ok: true, heads: 4, dropped: 0 })
  expect(await audit.headHash(2)).toBe(witness[0]?.hash)
  const hashOf = async (sequence: number) => droppedHash({ sequence: 2, hash: '0'.repeat(64) }, sequence)
  expect(await checkWitness(witness.slice(0, 1), { publicKey: undefined, last: 8, hashOf })).toMatchObject({
    ...{ ok: false, sequence: 2 },
  })
})

it('reports a missing record that only the witness knows, in any order of its heads', async () => {
  const { directory, witness } = await written([0, 1, 2, 0], 0)
  tamper(directory, 'DELETE FROM audit WHERE sequence IN (4, 6)')
  const { audit } = await newStore({ onNote: () => undefined }, directory)
  for (const heads of [witness, witness.toReversed()])
    expect(await audit.checkWitnessed(heads)).toMatchObject({
      ok: false,
      sequence: 4,
      why: expect.stringContaining('is missing'),
    })
})

it('yields to other work between the heads', async () => {
  const signer = headSigner(newSigningKey())
  const heads = Array.from({ length: 2_000 }, (_, n) => signer.sign({ sequence: n + 1, hash: '0'.repeat(64) }, 'head'))
  let turns = 0
  let isOver = false
  const others = (async () => {
    while (!isOver) {
      await setImmediate()
      turns++
    }
  })()
  const log = { publicKey: signer.publicKey, last: heads.length, hashOf: async () => '0'.repeat(64) }
  expect(await checkWitness(heads, log)).toMatchObject({ ok: true, heads: heads.length })
  isOver = true
  await others
  expect(turns).toBeGreaterThan(3)
})

it('a head that was signed with another key is reported, even for the witnessed record', async () => {
  const { witness, directory, end } = await written([0, 1], 0)
  const other = await written([0], 0)
  const hashes = new Map(rowsOf(directory).map(({ sequence, hash }) => [sequence, hash]))
  const log = { last: end, hashOf: async (sequence: number) => hashes.get(sequence) }
  expect(await checkWitness(witness, { ...log, publicKey: witness[0]?.key })).toMatchObject({ ok: true })
  const found = await checkWitness(witness, { ...log, publicKey: other.witness[0]?.key })
  expect(found).toMatchObject({ ok: false, sequence: 2, why: expect.stringContaining('signed with another key') })
})
