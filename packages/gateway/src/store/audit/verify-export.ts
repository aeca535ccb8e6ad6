// Verifies an exported log without its gateway: one chain of records, or the checkpoints and streams of several gateways.
import { type AuditHead, verifyAudit } from 'toolwire/guard'
import type { types } from 'toolwire/relay'
import { isObject } from '../../json/is-object.js'
import { jsonIn } from '../../json/json-in.js'
import { type CheckpointContent, headAt, readCheckpoint } from '../postgres/audit/checkpoint.js'
import { droppedHeadHash } from '../postgres/audit/checkpoint-heads.js'
import { type LogVerdict, requireRecords } from './require-records.js'
import { droppedHash, plainHead } from './retention.js'
import { isCheckpointOf, isHead, isSignedBy, publicKeyOf, type SignedHead } from './signed-head.js'

type Source = AsyncIterable<Uint8Array | string>
type Signed = { readonly from: AuditHead | undefined; readonly head: AuditHead | undefined }

/** A fault, or the extent of the log. */
export type ExportVerdict = LogVerdict & {
  /** The retention mark after which the log begins. Anyone can sign one with a key of their own, so its key counts. */
  readonly from?: SignedHead
  /** The key of the checkpoints. Anyone can sign others with a key of their own, so it counts like that of a mark. */
  readonly key?: string | undefined
  /** The log has the given head no longer, so nothing is known about it. */
  readonly dropped?: true
}

export async function verifyExport(source: Source, { head }: { head?: AuditHead | undefined }): Promise<ExportVerdict> {
  const pieces = withWholeBeginning(source)
  const { value: first = Buffer.alloc(0) } = await pieces.next()
  async function* after(bytes: number) {
    yield first.subarray(bytes)
    yield* pieces
  }
  const [text = ''] = first.toString('latin1', 0, longestMark).split('\n', 1)
  if (/^\{"(checkpoint|stream)":/.test(text)) return verifyShared(linesOf(after(0)), head)
  if (!text.startsWith('{"retention":')) return requireRecords(await verifyAudit(after(0), { head }))
  const from = retentionMarkIn(text)
  if (!from)
    return {
      ok: false,
      line: 1,
      sequence: 1,
      why: 'Old records are missing, and their retention mark is not signed',
      head: undefined,
    }
  const isDropped = head && droppedHash(from, head.sequence) === null
  const kept = { from: plainHead(from), head: isDropped ? undefined : head }
  const verdict = requireRecords(await verifyAudit(after(text.length + 1), kept), kept.from)
  if (!verdict.ok) return { ...verdict, line: verdict.line + 1, from }
  return isDropped ? { ...droppedHead(head), from } : { ...verdict, from }
}

/** Longer than the beginning of any other line that tells the form of an export. */
const longestMark = 2_048

/** The pieces of the file. The first one is long enough for a mark, whatever sizes a pipe has made. */
async function* withWholeBeginning(source: Source): AsyncGenerator<Buffer, undefined> {
  let beginning: Buffer | undefined = Buffer.alloc(0)
  for await (const piece of source) {
    const bytes = Buffer.from(piece)
    beginning &&= Buffer.concat([beginning, bytes])
    if (!beginning) yield bytes
    else if (beginning.length >= longestMark) {
      yield beginning
      beginning = undefined
    }
  }
  if (beginning) yield beginning
}

/** Undefined if the mark was not signed for this purpose with the key that it names. */
function retentionMarkIn(line: string): SignedHead | undefined {
  const found = jsonIn(line)
  const mark = isObject(found) && isObject(found.retention) ? (found.retention as SignedHead) : undefined // checked next
  return mark && isHead(mark) && isSignedBy(mark, publicKeyOf(mark.key), 'retention') ? mark : undefined
}

/** The verdict on a log that is intact, but no longer has the given head. */
export const droppedHead = ({ sequence }: AuditHead) =>
  ({
    ok: false,
    line: 1,
    sequence,
    head: undefined,
    dropped: true,
    why: `The log begins after head ${sequence}, so this head cannot be checked. Use a newer head`,
  }) as const

/** Checkpoints come first, so the signed head of each stream is known before the stream is read. */
async function verifyShared(lines: AsyncGenerator<string>, wanted: AuditHead | undefined): Promise<ExportVerdict> {
  const signed = new SignedStreams()
  let number = 0
  let line: string | undefined
  const next = async () => {
    const { value, done } = await lines.next()
    number++
    line = done ? undefined : value
  }
  const fault = (sequence: number, why: string): types.AuditFault => ({
    ok: false,
    line: number,
    sequence,
    why,
    head: signed.head,
  })
  for (await next(); line?.startsWith('{"checkpoint":'); await next()) {
    const why = signed.add(line)
    const other = signed.head?.sequence === wanted?.sequence && signed.head?.hash !== wanted?.hash
    if (why !== undefined || other) return fault(signed.expected, why ?? 'This checkpoint differs from the one that was written')
  }
  if (wanted && wanted.sequence > (signed.head?.sequence ?? 0))
    return fault(signed.expected, `The log ends before checkpoint ${wanted.sequence}, which was written`)
  signed.applyBeginning()
  if (!signed.isComplete) return fault(signed.expected, 'The first checkpoints are missing')
  const dropped = wanted && signed.droppedHash(wanted)
  if (wanted && typeof dropped === 'string' && dropped !== wanted.hash)
    return fault(wanted.sequence, `The last dropped record, ${wanted.sequence}, differs from the one that was written`)
  let entries = 0
  while (line !== undefined) {
    const { 1: stream } = /^\{"stream":"([0-9a-f-]{36})"/.exec(line) ?? []
    if (stream === undefined) return fault(0, 'The first line of a stream is missing here')
    const begin = number
    const { from, head } = signed.take(stream)
    if (!head) return fault(1, `Stream ${stream} is in the file twice, or is not signed`)
    const wantedHere = signed.recordIn(stream, wanted)
    let isOther = wantedHere !== undefined
    async function* records() {
      for (await next(); line !== undefined && !line.startsWith('{"stream":'); await next()) {
        if (wantedHere && isEntry(line, wantedHere)) isOther = false
        yield Buffer.from(`${line}\n`, 'latin1')
      }
    }
    const verdict = await verifyAudit(records(), { from, head })
    if (verdict.ok && isOther)
      return fault(wanted?.sequence ?? 0, `Record ${wanted?.sequence} of stream ${stream} differs from the one that was written`)
    if (!verdict.ok) return { ...verdict, line: begin + verdict.line, why: `Stream ${stream}: ${verdict.why}`, ...{ stream } }
    if (verdict.head?.sequence !== head.sequence)
      return fault(head.sequence + 1, `Stream ${stream} continues after its last signed record, ${head.sequence}`)
    entries += verdict.entries
  }
  const [removed] = signed.remaining()
  if (removed !== undefined) return fault(1, `Stream ${removed} was removed`)
  const { head, key } = signed
  return wanted && dropped === null ? { ...droppedHead(wanted), key } : { ok: true, entries, head, key }
}

/** The contents of the file's checkpoints. The key that signed the first one must have signed all. */
class SignedStreams {
  head: AuditHead | undefined
  expected = 1
  key: string | undefined
  #publicKey: ReturnType<typeof publicKeyOf> | undefined
  #before: AuditHead | undefined
  #begins: CheckpointContent['begins']
  readonly #heads = new Map<string, AuditHead>()
  /** Streams of live gateways that have written nothing since their records were dropped. */
  readonly #dropped = new Map<string, AuditHead>()

  /** Adds a checkpoint, or returns its fault. */
  add(line: string): string | undefined {
    const content = this.#read(line)
    if (typeof content === 'string') return content
    const { number, previous, heads, begins } = content
    if (!this.head) this.#before = previous === null ? undefined : { sequence: number - 1, hash: previous }
    else if (number !== this.expected) return `Checkpoint ${this.expected} is missing: checkpoint ${number} is in its place`
    else if (previous !== this.head.hash) return `Checkpoint ${number} names another hash for the checkpoint before it`
    for (const [stream, place] of Object.entries(heads)) this.#heads.set(stream, { sequence: place[0], hash: place[1] })
    if (begins) this.#begins = begins
    const { hash } = JSON.parse(line) as { hash: string } // `#read` has parsed it
    this.head = { sequence: number, hash }
    this.expected = number + 1
    return undefined
  }

  #read(line: string): CheckpointContent | string {
    try {
      const { checkpoint: number, hash, text, signature } = JSON.parse(line)
      this.key ??= JSON.parse(text).key as string
      this.#publicKey ??= publicKeyOf(this.key)
      const key = this.#publicKey
      return readCheckpoint({ number, hash, text, signature }, { isOurCheckpoint: (text, by) => isCheckpointOf(text, by, key) })
    } catch {
      return 'This line is not a valid checkpoint'
    }
  }

  /** Applies the newest tombstone, which says where the log begins. */
  applyBeginning(): void {
    for (const [stream, { from, head }] of Object.entries(this.#begins?.streams ?? {})) {
      const last = this.#heads.get(stream) ?? headAt(head)
      const isLeft = last && last.sequence > (from?.[0] ?? 0)
      if (isLeft) this.#heads.set(stream, last)
      else this.#heads.delete(stream)
      const begin = headAt(from)
      if (!isLeft && begin) this.#dropped.set(stream, begin)
    }
  }

  /** True if the first checkpoint of the file follows the last dropped one. */
  get isComplete(): boolean {
    const begin = headAt(this.#begins?.checkpoint)
    return begin?.sequence === this.#before?.sequence && begin?.hash === this.#before?.hash
  }

  take(stream: string): Signed {
    const head = this.#heads.get(stream) ?? this.#dropped.get(stream)
    this.#heads.delete(stream)
    this.#dropped.delete(stream)
    return { from: headAt(this.#begins?.streams[stream]?.from), head }
  }

  /** Returns the head itself if it is a record of this stream that was copied from a data directory. */
  recordIn(stream: string, head: AuditHead | undefined): AuditHead | undefined {
    const { copied, streams = {} } = this.#begins ?? {}
    if (!head || stream !== copied?.stream || head.sequence > copied.last) return undefined
    return head.sequence > (streams[stream]?.from?.[0] ?? 0) ? head : undefined
  }

  droppedHash = ({ sequence }: AuditHead) => droppedHeadHash(this.#begins, sequence)

  /** Signed streams that are missing in the file. */
  remaining(): string[] {
    return [...this.#heads.keys()]
  }
}

const isEntry = (line: string, { sequence, hash }: AuditHead): boolean =>
  line.startsWith(`{"sequence":${sequence},`) && line.endsWith(`"hash":"${hash}"}`)

/** Each character of a line is a byte of the file, so that `verifyAudit` gets the same bytes, UTF-8 or not. */
export async function* linesOf(source: Source): AsyncGenerator<string> {
  let rest = ''
  for await (const piece of source) {
    const lines = (rest + Buffer.from(piece).toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}
