// Each mutation of a log is detected with a witness: in a data directory, in its export, and in the export of several gateways.
import { createHash } from 'node:crypto'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AuditHead, auditLine } from 'toolwire/guard'
import { describe, expect, it } from 'vitest'
import { checkExport } from '../../src/cli/audit/check-witness.js'
import { openLogForReading } from '../../src/store/audit/open-log-for-reading.js'
import { type HeadSigner, headSigner, newSigningKey, type SignedHead } from '../../src/store/audit/signed-head.js'
import { verifyExport } from '../../src/store/audit/verify-export.js'
import { type CheckpointContent, newCheckpoint, placeOf } from '../../src/store/postgres/audit/checkpoint.js'
import { append, intentOf, newDirectory, newStore, outcomeOf } from '../support/stores.js'
import { markIn, read, tamper } from '../support/tampered-log.js'

const owner = headSigner(newSigningKey())
const stranger = headSigner(newSigningKey())
const intact = 'intact'
const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

type Written = {
  readonly directory: string
  readonly first: number
  readonly last: number
  readonly witness: readonly SignedHead[]
  readonly lines: readonly string[]
}

/** A log of four calls in a data directory and as an export, with a head for the witness after each call. */
async function written(dropped: number): Promise<Written> {
  const directory = newDirectory()
  const store = await newStore({}, directory)
  const witness: SignedHead[] = []
  for (let n = 1; n <= 4; n++) {
    await append(store, intentOf(n, { caller: 'Zo\u00eb \ufffd' }), outcomeOf(n))
    witness.push(store.audit.signHead()!)
  }
  if (dropped > 0) await store.audit.retain({ records: 8 - dropped })
  let text = ''
  for await (const piece of store.audit.export('ndjson')) text += piece
  await store.close()
  return { directory, first: dropped + 1, last: 8, witness, lines: text.trimEnd().split('\n') }
}

async function verdictOnDirectory(directory: string, witness: readonly SignedHead[]): Promise<string> {
  const log = await openLogForReading(directory, {}).catch((thrown: Error) => thrown.message)
  if (typeof log === 'string') return log
  try {
    for (const verdict of [await log.verify(), await log.checkWitnessed(witness)]) if (!verdict.ok) return verdict.why
    return intact
  } finally {
    log.close()
  }
}

type Mutations = readonly (readonly [what: string, mutate: string | ((directory: string) => void)])[]

function rowMutations({ first, last }: Written): Mutations {
  const changes = {
    'a removed row': 'DELETE FROM audit WHERE sequence = ?',
    'a row before the first': 'UPDATE audit SET sequence = 0 WHERE sequence = ?',
    'a copied row before the first': 'INSERT INTO audit SELECT -9000000, hash, text FROM audit WHERE sequence = ?',
    'the lowest sequence': 'INSERT INTO audit SELECT -9223372036854775807 - 1, hash, text FROM audit WHERE sequence = ?',
    'a copied row behind the last': `INSERT INTO audit SELECT ${last + 1}, hash, text FROM audit WHERE sequence = ?`,
    'text behind a NUL': `UPDATE audit SET text = text || char(0) || 'junk' WHERE sequence = ?`,
    'a line behind the text': `UPDATE audit SET text = text || char(10) || '{}' WHERE sequence = ?`,
    'a hash behind a NUL': `UPDATE audit SET hash = hash || char(0) || 'junk' WHERE sequence = ?`,
    'bytes that are not UTF-8': `UPDATE audit SET text = CAST(CAST(text AS BLOB) || x'ff' AS TEXT) WHERE sequence = ?`,
    'a changed text': `UPDATE audit SET text = replace(text, 'send', 'sent') WHERE sequence = ?`,
    'a changed hash': 'UPDATE audit SET hash = upper(hash) WHERE sequence = ?',
    'a cut end': 'DELETE FROM audit WHERE sequence >= ?',
  }
  return Object.entries(changes).flatMap(([what, sql]) =>
    [first, last - 2, last].map((at) => [`${what}: ${at}`, sql.replace('?', `${at}`)] as const),
  )
}

function otherMutations({ directory, last, witness }: Written): Mutations {
  const at = last - 2 // the witness has this head
  const [row] = read(directory, `SELECT sequence, hash FROM audit WHERE sequence = ${at}`) as AuditHead[]
  const asMark = (mark: object | undefined) => `INSERT OR REPLACE INTO state VALUES ('from', ${quoted(JSON.stringify(mark))});`
  const cut = `DELETE FROM audit WHERE sequence <= ${at};`
  const mark = markIn(directory)
  return [
    ['no row', 'DELETE FROM audit'],
    ['a cut beginning', cut],
    ['a head of the witness as the mark', `${cut} ${asMark(witness.find(({ sequence }) => sequence === at))}`],
    ['a mark with another key', `${cut} ${asMark(stranger.sign(row!, 'retention'))}`],
    ['no row after a mark', `DELETE FROM audit; ${asMark(mark ?? stranger.sign(row!, 'retention'))}`],
    ['a mark that is no head', asMark({})],
    ['another key', (copy) => writeFileSync(join(copy, 'audit.key'), newSigningKey())],
    ['no key', (copy) => rmSync(join(copy, 'audit.key'))],
    ...(mark ? ([['no mark', `DELETE FROM state WHERE name = 'from'`]] as const) : []),
    ...(mark ? ([['a changed mark', asMark({ ...mark, at: mark.at + 1 })]] as const) : []),
  ]
}

/** The lines of an export, and the heads that a witness has of it. */
type Exported = { readonly lines: readonly string[]; readonly witness: readonly SignedHead[]; readonly key?: string }

const lineOf = ({ number, hash, text, signature }: ReturnType<typeof newCheckpoint>) =>
  JSON.stringify({ checkpoint: number, signature, text, hash })

/** Exports the records as the stream of a gateway with a shared store, whose checkpoints continue after a head. */
function sharedExport(records: readonly string[], signer: HeadSigner, before?: AuditHead): Exported {
  const stream = '11111111-1111-4111-8111-111111111111'
  const witness: SignedHead[] = []
  const checkpoints: string[] = []
  let last = before
  const add = (content: Pick<CheckpointContent, 'heads' | 'begins'>) => {
    const checkpoint = newCheckpoint(last, { ...content, at: 1 }, signer)
    last = { sequence: checkpoint.number, hash: checkpoint.hash }
    witness.push(signer.sign(last, 'head'))
    checkpoints.push(lineOf(checkpoint))
  }
  if (before) add({ heads: {}, begins: { checkpoint: placeOf(before), streams: {}, gone: [] } })
  for (const line of records) add({ heads: { [stream]: placeOf(headOf(line)) } })
  return { lines: [...checkpoints, JSON.stringify({ stream, ends: records.length }), ...records], witness }
}

const headOf = (line: string): AuditHead => JSON.parse(line) as AuditHead

/** A record as the first of a log of its own. */
function forgedRecord(begin: AuditHead | undefined, members: string): string {
  const sequence = (begin?.sequence ?? 0) + 1
  const text = `{"sequence":${sequence},"previous":${begin ? `"${begin.hash}"` : null},${members}}`
  return auditLine({ sequence, text, hash: createHash('sha256').update(text).digest('hex') })
}

async function* pieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function verdictOnExport(bytes: Uint8Array, witness: readonly SignedHead[], size = 997): Promise<string> {
  const path = join(newDirectory(), 'log')
  writeFileSync(path, bytes)
  const verdict = await verifyExport(pieces(bytes, size), {})
  if (!verdict.ok) return verdict.why
  const witnessed = await checkExport(path, witness, verdict)
  return witnessed.ok ? intact : witnessed.why
}

type LineMutations = readonly (readonly [what: string, lines: readonly string[]])[]

function lineMutations({ lines, witness }: Exported): LineMutations {
  const fragments = witness.flatMap(({ sequence, hash }) =>
    ['sequence', 'checkpoint'].map((name) => JSON.stringify({ [name]: sequence, hash })),
  )
  const all: LineMutations = [
    ['no line', []],
    ['only the first line', lines.slice(0, 1)],
    ['no records', lines.filter((line) => !line.startsWith('{"sequence":'))],
    ...lines.flatMap((line, at) => {
      const changes = [
        ['removed', lines.toSpliced(at, 1)],
        ['twice', lines.toSpliced(at, 0, line)],
        ['last', lines.slice(0, at)],
        ['moved', lines.toSpliced(at, 1).toSpliced(at + 1, 0, line)],
        ['with another hash', lines.with(at, line.replace(/"hash":"../, '"hash":"zz'))],
        [
          'with parts that look like lines',
          lines.slice(0, at + 1).with(at, `${line.slice(0, -1)},"x":[\r${fragments.join('\r,\r')}\r]}`),
        ],
      ] as const
      return changes.map(([what, changed]) => [`line ${at + 1} ${what}`, changed] as const)
    }),
  ]
  return all.filter(([, changed]) => changed.join() !== lines.join())
}

/** Logs of another key, whose beginning is the last head that the witness has. */
function forgeries({ witness }: Exported): LineMutations {
  const { sequence, hash } = witness.at(-1)!
  const last = { sequence, hash }
  const parts = witness.map((head) => `\r{"sequence":${head.sequence},"hash":"${head.hash}"}\r`)
  const others = [forgedRecord(undefined, '"kind":"intent"')]
  return [
    ['a log of its own', others],
    ['with parts that look like records', [forgedRecord(undefined, `"x":[${parts.join(',')}]`)]],
    ['after a mark', [JSON.stringify({ retention: stranger.sign(last, 'retention') }), forgedRecord(last, '"kind":"intent"')]],
    ['of several gateways', sharedExport(others, stranger).lines],
    ['of several gateways, after a tombstone', sharedExport(others, stranger, last).lines],
  ]
}

/** A log is not intact without records, a mark or its key, whether or not there is a witness. */
const needsNone = (what: string) => what.startsWith('no ')

const bytesOf = (lines: readonly string[]) => Buffer.from(lines.map((line) => `${line}\n`).join(''))

describe.each([0, 3])('after retention has dropped %i records', (dropped) => {
  it('each mutation of the data directory is detected', async () => {
    const log = await written(dropped)
    expect(await verdictOnDirectory(log.directory, log.witness)).toBe(intact)
    for (const [what, mutate] of [...rowMutations(log), ...otherMutations(log)]) {
      const copy = newDirectory()
      cpSync(log.directory, copy, { recursive: true })
      if (typeof mutate === 'string') tamper(copy, mutate)
      else mutate(copy)
      const verdict = await verdictOnDirectory(copy, needsNone(what) ? [] : log.witness)
      expect(verdict, what).not.toBe(intact)
      expect(verdict, what).toMatch(/./)
    }
  })

  it.each(['one gateway', 'several gateways'])('each mutation of an export of %s is detected', async (whose) => {
    const { lines, witness } = await written(dropped)
    const before = dropped > 0 ? { sequence: dropped, hash: '5'.repeat(64) } : undefined
    const exported = whose === 'one gateway' ? { lines, witness } : sharedExport((await written(0)).lines, owner, before)
    expect(await verdictOnExport(bytesOf(exported.lines), exported.witness)).toBe(intact)
    for (const [what, changed] of [...lineMutations(exported), ...forgeries(exported)]) {
      const verdict = await verdictOnExport(bytesOf(changed), needsNone(what) ? [] : exported.witness)
      expect(verdict, what).not.toBe(intact)
      expect(verdict, what).toMatch(/./)
    }
  })
})

it('an export is verified in pieces of any size', async () => {
  const [whole, cut] = [await written(0), await written(3)]
  for (const size of [1, 8, 13, 20, 2_048])
    for (const { lines, witness } of [whole, cut, sharedExport(whole.lines, owner)])
      expect(await verdictOnExport(bytesOf(lines), witness, size), `pieces of ${size}`).toBe(intact)
})
