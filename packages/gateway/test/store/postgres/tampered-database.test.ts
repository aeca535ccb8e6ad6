// An attacker who can write the database and has everything that was ever in it, but not the key.
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../../toolwire/test/postgres-server.js'
import { howMany } from '../../../../toolwire/test/soak.js'
import type { SignedHead } from '../../../src/store/audit/signed-head.js'
import { openPostgres } from '../../../src/store/postgres/connection.js'
import { passDays } from '../../support/old-days.js'
import { appendTo, createTables, startReplica } from '../../support/postgres-audit.js'
import { intentOf, outcomeOf } from '../../support/stores.js'

type Entry = { readonly stream: string; readonly sequence: number; readonly hash: string; readonly text: string }
type End = Omit<Entry, 'text'> & { readonly seal: string }
type Kept = { readonly number: number; readonly hash: string; readonly text: string; readonly signature: string }

/** The past contents of the database, and a head that a witness has. */
type Written = {
  readonly url: string
  readonly head: SignedHead
  /** Numbers of the last dropped records. */
  readonly begin: number
  readonly entries: readonly Entry[]
  readonly streams: readonly string[]
  /** The ends after each write. */
  readonly ends: readonly End[]
  readonly checkpoints: readonly Kept[]
  readonly first: number
  /** Numbers of the signed tombstones. The last one is in force. */
  readonly tombstones: readonly number[]
}

let server: PostgresServer
let base: Written
beforeAll(async () => {
  if (!postgresFound) return
  server = await postgresServer()
  base = await write(await server.database())
})
afterAll(() => server?.close())

const checkpointsSql = `SELECT number::float8 AS number, encode(hash, 'hex') AS hash, text, signature FROM toolwire.audit_checkpoints ORDER BY 1`

/** Three streams whose oldest records were dropped twice, with a checkpoint after every two records. */
async function write(url: string): Promise<Written> {
  await createTables(url)
  const replicas = await Promise.all([1, 2, 3].map(() => startReplica(url)))
  const { audit, postgres } = replicas[0]!
  const streams = replicas.map(({ stream }) => stream)
  const ends: End[] = []
  const checkpoints = new Map<string, Kept>()
  const round = async (n: number) => {
    for (const [nth, replica] of replicas.entries()) {
      await appendTo(replica, intentOf(n, { id: `${nth}-${n}` }), outcomeOf(n, { id: `${nth}-${n}` }))
      await audit.checkpoint()
      ends.push(...(await postgres.sql<End>(endsSql)))
      for (const one of await postgres.sql<Kept>(checkpointsSql)) checkpoints.set(one.hash, one)
    }
  }
  for (const n of [1, 2]) {
    await round(n)
    await passDays(postgres, 30, streams)
    expect(await audit.retain({ days: 10 })).toBe(6)
  }
  for (let n = 3; n <= 7; n++) await round(n)
  expect(await audit.verify()).toMatchObject({ ok: true, entries: 30 })
  const entries = await postgres.sql<Entry>(
    `SELECT stream, sequence::float8 AS sequence, encode(hash, 'hex') AS hash, text FROM toolwire.audit ORDER BY 1, 2`,
  )
  const [first] = await postgres.sql<{ number: number }>('SELECT min(number)::float8 AS number FROM toolwire.audit_checkpoints')
  const begins = await postgres.sql<{ number: number }>(
    'SELECT number::float8 AS number FROM toolwire.audit_checkpoints WHERE begins ORDER BY 1',
  )
  const head = audit.signHead()!
  for (const replica of replicas) await replica.close()
  const tombstones = begins.map(({ number }) => number)
  return { url, head, begin: 4, entries, streams, ends, checkpoints: [...checkpoints.values()], first: first!.number, tombstones }
}

const endsSql = `SELECT stream, sequence::float8 AS sequence, encode(hash, 'hex') AS hash, encode(seal, 'hex') AS seal FROM toolwire.audit_streams`

/** The tampering with the database, and the part of the verdict that must name it. */
type Tampering = { readonly how: string; readonly names: { readonly [member: string]: string | number } }
type Picked = { readonly one: number; readonly two: number; readonly nth: number }

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
const put = ({ stream, sequence, hash, text }: Entry) =>
  `INSERT INTO toolwire.audit (day, stream, sequence, position, hash, text)
   SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date, '${stream}', ${sequence}, 999999, '\\x${hash}', ${quoted(text)};`
const forged = (stream: string, sequence: number, previous: string | null): Entry => {
  const text = `{"sequence":${sequence},"previous":${previous === null ? null : `"${previous}"`},"kind":"intent","id":"x"}`
  return { stream, sequence, hash: sha256(text), text }
}

/** The records of a stream with one change, and matching hashes. */
function rechained(entries: readonly Entry[], at: number): Entry[] {
  let previous = entries.find(({ sequence }) => sequence === at - 1)?.hash
  return entries
    .filter(({ sequence }) => sequence >= at)
    .map((entry) => {
      const changed = entry.text.replace('eve', entry.sequence === at ? 'ada' : 'eve')
      const text = previous === undefined ? changed : changed.replace(/"previous":"\w+"/, `"previous":"${previous}"`)
      previous = sha256(text)
      return { ...entry, hash: previous, text }
    })
}

const tamperings: readonly (readonly [what: string, how: (written: Written, picked: Picked) => Tampering])[] = [
  [
    'a record altered',
    (w, p) => at(w, p, ({ where }) => `UPDATE toolwire.audit SET text = replace(text, 'eve', 'ada') WHERE ${where}`),
  ],
  [
    'a hash altered',
    (w, p) => at(w, p, ({ where }) => `UPDATE toolwire.audit SET hash = decode('${'ab'.repeat(32)}', 'hex') WHERE ${where}`),
  ],
  ['a record removed', (w, p) => at(w, p, ({ where }) => `DELETE FROM toolwire.audit WHERE ${where}`)],
  [
    'a record given to another stream',
    (w, p) => at(w, p, ({ where }) => `UPDATE toolwire.audit SET stream = gen_random_uuid() WHERE ${where}`),
  ],
  [
    'two records swapped',
    (w, p) =>
      at(w, { ...p, two: p.two % 9 }, ({ where, stream, sequence }) =>
        [
          `UPDATE toolwire.audit SET sequence = 1000 WHERE ${where}`,
          `UPDATE toolwire.audit SET sequence = ${sequence} WHERE stream = '${stream}' AND sequence = ${sequence + 1}`,
          `UPDATE toolwire.audit SET sequence = ${sequence + 1} WHERE stream = '${stream}' AND sequence = 1000`,
        ].join(';'),
      ),
  ],
  [
    'the end cut off',
    (w, p) =>
      at(w, p, ({ stream, sequence }) => `DELETE FROM toolwire.audit WHERE stream = '${stream}' AND sequence >= ${sequence}`),
  ],
  [
    'the end cut off, and its row as it was then',
    (w, p) => {
      const stream = w.streams[p.one % 3]!
      const end = w.ends.filter((one) => one.stream === stream && one.sequence >= w.begin && one.sequence < 14)[p.two % 10]
      const { sequence, hash, seal } = end ?? w.ends.find((one) => one.stream === stream && one.sequence === w.begin)!
      const how = `DELETE FROM toolwire.audit WHERE stream = '${stream}' AND sequence > ${sequence};
        UPDATE toolwire.audit_streams SET sequence = ${sequence}, hash = '\\x${hash}', seal = '\\x${seal}' WHERE stream = '${stream}'`
      return { how, names: { stream, sequence: sequence + 1 } }
    },
  ],
  [
    'the beginning cut off',
    (w, p) => {
      const { stream, sequence } = entryOf(w, p)
      return {
        how: `DELETE FROM toolwire.audit WHERE stream = '${stream}' AND sequence <= ${sequence}`,
        names: { stream, sequence: w.begin + 1 },
      }
    },
  ],
  [
    'a stream removed',
    (w, p) => {
      const stream = w.streams[p.one % 3]!
      const how = ['audit', 'audit_streams', 'audit_heads'].map(
        (table) => `DELETE FROM toolwire.${table} WHERE stream = '${stream}'`,
      )
      return { how: how.join(';'), names: { stream, sequence: w.begin + 1 } }
    },
  ],
  [
    'two streams exchanged',
    (w, p) => {
      const [one, two] = [w.streams[p.one % 3]!, w.streams[(p.one + 1) % 3]!]
      const exchanged = ['audit', 'audit_streams', 'audit_heads'].map(
        (table) => `UPDATE toolwire.${table} SET stream = '${free}' WHERE stream = '${one}';
          UPDATE toolwire.${table} SET stream = '${one}' WHERE stream = '${two}'; UPDATE toolwire.${table} SET stream = '${two}' WHERE stream = '${free}'`,
      )
      return { how: exchanged.join(';'), names: {} }
    },
  ],
  [
    'a stream rewritten from a record on, with matching hashes',
    (w, p) => {
      const { stream, sequence } = entryOf(w, p)
      const entries = w.entries.filter((one) => one.stream === stream)
      const how = `DELETE FROM toolwire.audit WHERE stream = '${stream}' AND sequence >= ${sequence}; ${rechained(entries, sequence).map(put).join('\n')}`
      // The first record at or after the change that a checkpoint has signed.
      return { how, names: { stream, sequence: sequence + (sequence % 2) } }
    },
  ],
  [
    'a record appended to the stream of another gateway',
    (w, p) => {
      const stream = w.streams[p.one % 3]!
      const last = w.entries.filter((one) => one.stream === stream).at(-1)!
      return { how: put(forged(stream, last.sequence + 1, last.hash)), names: { stream, sequence: last.sequence + 1 } }
    },
  ],
  [
    'a record added with its row, and a seal from another row',
    (w, p) => {
      const stream = w.streams[p.one % 3]!
      const last = w.entries.filter((one) => one.stream === stream).at(-1)!
      const more = forged(stream, last.sequence + 1, last.hash)
      const { seal } = w.ends[p.two % w.ends.length]!
      const how = `${put(more)} UPDATE toolwire.audit_streams SET sequence = ${more.sequence}, hash = '\\x${more.hash}', seal = '\\x${seal}' WHERE stream = '${stream}'`
      return { how, names: { stream, sequence: more.sequence } }
    },
  ],
  [
    'a record in the place of the one before it, under another day',
    (w, p) =>
      at(
        w,
        { ...p, two: 1 + (p.two % 9) },
        ({ where }) =>
          `UPDATE toolwire.audit SET sequence = sequence - 1, day = (SELECT max(day) FROM toolwire.audit) + 1 WHERE ${where}`,
      ),
  ],
  ['a stream without an owner', () => ({ how: put(forged(free, 1, null)), names: { stream: free, sequence: 1 } })],
  [
    'a record before the first in a stream without an owner',
    (_, p) => {
      const sequence = 0 - (p.two % 9)
      return { how: put(forged(free, sequence, null)), names: { stream: free, sequence } }
    },
  ],
  [
    'records put back before the beginning',
    (w, p) => {
      const stream = w.streams[p.one % 3]!
      return { how: put(forged(stream, 1 + (p.two % w.begin), sha256(''))), names: { stream, sequence: w.begin + 1 } }
    },
  ],
  [
    'a list that marks all as signed',
    (w, p) => {
      const stream = w.streams[p.one % 3]!
      return { how: `UPDATE toolwire.audit_heads SET sequence = 1000 WHERE stream = '${stream}'`, names: { stream } }
    },
  ],
  [
    'a checkpoint removed',
    (w, p) => checkpoint(w, p, (number) => `DELETE FROM toolwire.audit_checkpoints WHERE number = ${number}`),
  ],
  [
    'a checkpoint altered',
    (w, p) =>
      checkpoint(
        w,
        p,
        (number) => `UPDATE toolwire.audit_checkpoints SET text = replace(text, '"at":', '"at":1') WHERE number = ${number}`,
      ),
  ],
  [
    'the hash of a checkpoint altered',
    (w, p) =>
      checkpoint(
        w,
        p,
        (number) => `UPDATE toolwire.audit_checkpoints SET hash = decode('${'ab'.repeat(32)}', 'hex') WHERE number = ${number}`,
      ),
  ],
  [
    'a checkpoint altered, with its hash',
    (w, p) =>
      checkpoint(
        w,
        p,
        (number) => `UPDATE toolwire.audit_checkpoints SET text = replace(text, '"at":', '"at":1'),
          hash = sha256(convert_to(replace(text, '"at":', '"at":1'), 'UTF8')) WHERE number = ${number}`,
      ),
  ],
  [
    'a checkpoint in the place of another',
    (w, p) => {
      const other = w.checkpoints[p.nth % w.checkpoints.length]!
      return checkpoint(w, p, (number) =>
        other.number === number
          ? `DELETE FROM toolwire.audit_checkpoints WHERE number = ${number}`
          : `UPDATE toolwire.audit_checkpoints SET text = ${quoted(other.text)}, hash = '\\x${other.hash}', signature = '${other.signature}' WHERE number = ${number}`,
      )
    },
  ],
  [
    'the last checkpoints removed',
    (w, p) => checkpoint(w, p, (number) => `DELETE FROM toolwire.audit_checkpoints WHERE number >= ${number}`),
  ],
  [
    'the first checkpoints removed',
    (w, p) => ({
      ...checkpoint(w, p, (number) => `DELETE FROM toolwire.audit_checkpoints WHERE number <= ${number}`),
      names: {},
    }),
  ],
  [
    'an added checkpoint with an earlier signature',
    (w, p) => {
      const { signature } = w.checkpoints[p.nth % w.checkpoints.length]!
      const number = w.head.sequence + 1
      const text = JSON.stringify({ number, previous: w.head.hash, heads: {}, at: 1, key: w.head.key })
      const how = `INSERT INTO toolwire.audit_checkpoints VALUES (${number}, '\\x${sha256(text)}', ${quoted(text)}, '${p.two % 2 ? signature : w.head.signature}')`
      return { how, names: { checkpoint: number } }
    },
  ],
  [
    'the tombstone removed',
    (w) => ({ how: `DELETE FROM toolwire.audit_checkpoints WHERE number = ${w.tombstones.at(-1)}`, names: {} }),
  ],
  ['the tombstone hidden', () => ({ how: 'UPDATE toolwire.audit_checkpoints SET begins = false', names: {} })],
  [
    'another checkpoint as the tombstone',
    (w, p) => {
      const number = w.head.sequence - (p.nth % 5)
      return {
        how: `UPDATE toolwire.audit_checkpoints SET begins = true WHERE number = ${number}`,
        names: { checkpoint: number },
      }
    },
  ],
  [
    'an older tombstone in force again',
    (w) => {
      const older = w.checkpoints.find(({ text }) => text.includes('"begins"'))!
      const how = `UPDATE toolwire.audit_checkpoints SET begins = false;
        INSERT INTO toolwire.audit_checkpoints VALUES (${older.number}, '\\x${older.hash}', ${quoted(older.text)}, '${older.signature}', true)
        ON CONFLICT (number) DO UPDATE SET begins = true`
      return { how, names: {} }
    },
  ],
]

const free = '11111111-2222-4333-8444-555555555555'

function entryOf({ streams, entries }: Written, { one, two }: Picked): Entry {
  const ofStream = entries.filter(({ stream }) => stream === streams[one % 3])
  return ofStream[two % ofStream.length]!
}

function at(written: Written, picked: Picked, how: (entry: Entry & { where: string }) => string): Tampering {
  const entry = entryOf(written, picked)
  const { stream, sequence } = entry
  return { how: how({ ...entry, where: `stream = '${stream}' AND sequence = ${sequence}` }), names: { stream, sequence } }
}

/** Changes a checkpoint after the tombstone in force. */
function checkpoint({ head, tombstones }: Written, { nth }: Picked, how: (number: number) => string): Tampering {
  const begin = tombstones.at(-1)! + 1
  const number = begin + (nth % (head.sequence - begin + 1))
  return { how: how(number), names: { checkpoint: number } }
}

async function verdictAfter(how: string) {
  const url = await server.database(new URL(base.url).pathname.slice(1))
  const postgres = await openPostgres(url, () => undefined)
  for (const statement of how.split(/;\s*(?=INSERT|UPDATE|DELETE)/)) if (statement.trim() !== '') await postgres.sql(statement)
  await postgres.close()
  const replica = await startReplica(url)
  try {
    return await replica.audit.verify({ head: base.head })
  } finally {
    await replica.close()
  }
}

const picks = { one: fc.nat({ max: 2 }), two: fc.nat({ max: 999 }), nth: fc.nat({ max: 999 }) }

describe.skipIf(!postgresFound)('a database with foreign writes', () => {
  it('verifies before them', async () => {
    expect(await verdictAfter('')).toMatchObject({ ok: true, entries: 30, streams: 3 })
  })

  it.each(tamperings)('reveals %s, with the first affected record or checkpoint', async (_, tampering) => {
    await fc.assert(
      fc.asyncProperty(fc.record(picks), async (picked) => {
        const { how, names } = tampering(base, picked)
        const verdict = await verdictAfter(how)
        expect(verdict, how).toMatchObject({ ok: false, why: expect.stringMatching(/./), ...names })
      }),
      { numRuns: howMany(2, 12) },
    )
  })
})
