import { decodePieces } from '../../json/utf8.js'
import { checkOptions, optionsOf } from '../../tools/checks/known-options.js'
import { someObject } from '../../tools/checks/option-values.js'
import { sha256 } from '../hash/hashing.js'
import { type AuditHead, checkHead, readAuditLine } from './entry.js'

export type VerifyOptions = {
  /** An entry that must be in the log. If it was kept elsewhere, it shows that the end was not cut off. */
  head?: AuditHead | undefined
  /** The entry before the first line, if that is not the first entry of the log. */
  from?: AuditHead | undefined
}

const known = optionsOf<VerifyOptions>()({ 'head from': someObject })

/** The result of a verification. The log is as it was written, at least up to `head`. */
export type AuditVerdict = AuditValid | AuditFault
type AuditValid = { readonly ok: true; readonly entries: number; readonly head: AuditHead | undefined }
export type AuditFault = {
  readonly ok: false
  /** The first faulty line, counted from 1. */
  readonly line: number
  /** Sequence number of the record that should be there. */
  readonly sequence: number
  readonly why: string
  /** The last entry before the fault. A log continues in a new file from here. */
  readonly head: AuditHead | undefined
}

/**
 * Finds the first line that was changed, removed, inserted or moved. Only a `head` that was kept elsewhere shows that lines are missing at
 * the end, or that the log was rewritten from some line on.
 *
 * @example
 * ```ts
 * const verdict = await verifyAudit(process.stdin)
 * ```
 */
export async function verifyAudit(lines: AuditLines, options: VerifyOptions = {}): Promise<AuditVerdict> {
  checkOptions('verifyAudit()', options, known)
  const { head: wanted, from } = options
  const begin = checkHead(from)
  const goal = checkHead(wanted)
  let head = begin
  let line = 0
  const fault = (why: string): AuditFault => ({ ok: false, line: line + 1, sequence: (head?.sequence ?? 0) + 1, why, head })
  if (goal && begin && goal.sequence < begin.sequence)
    return fault(`Record ${goal.sequence}, the given head, comes before the first line`)
  if (goal && begin && goal.sequence === begin.sequence && goal.hash !== begin.hash) return fault(anotherRecord(goal))
  for await (const { text, last } of withLast(logLinesIn(lines))) {
    if (text === '' && last) break
    const found = entryIn(text, head, last)
    if (typeof found === 'string') return fault(found)
    if (found.sequence === goal?.sequence && found.hash !== goal.hash) return fault(anotherRecord(goal))
    head = found
    line++
  }
  if (goal && (head?.sequence ?? 0) < goal.sequence) return fault(`The log ends before record ${goal.sequence}, the given head`)
  return { ok: true, entries: line, head }
}

const anotherRecord = ({ sequence }: AuditHead) => `Record ${sequence} differs from the given head: the log was rewritten`

/** Returns the entry in the line if it follows the head, or else a description of the fault. */
function entryIn(line: LogLine, head: AuditHead | undefined, last: boolean): AuditHead | string {
  const entry = line?.isWellFormed() ? readAuditLine(line) : undefined
  if (!entry) return last && !isJson(line) ? 'The last line is incomplete' : 'The line is not an audit record'
  const { sequence, hash, previous, text } = entry
  if (sha256(text) !== hash) return 'The record was changed: its hash does not match'
  const next = (head?.sequence ?? 0) + 1
  if (sequence !== next) return `Record ${next} is missing: record ${sequence} is in its place`
  if (previous !== head?.hash)
    return 'This record or the record before it was changed: the hash of the previous record does not match'
  return { sequence, hash }
}

function isJson(line: LogLine): boolean {
  try {
    return line !== undefined && JSON.parse(line) !== undefined
  } catch {
    return false
  }
}

async function* withLast(lines: AsyncIterable<LogLine>): AsyncGenerator<{ text: LogLine; last: boolean }> {
  let before: { text: LogLine } | undefined
  for await (const text of lines) {
    if (before) yield { ...before, last: false }
    before = { text }
  }
  if (before) yield { ...before, last: true }
}

/** Lines as strings, each with or without its end; or a whole file, as text or as bytes in pieces of any size. */
export type AuditLines = string | Uint8Array | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

/** One line, without its end; undefined if it is not text or is torn. */
type LogLine = string | undefined

const newline = 0x0a
/** Longest line of a log. No record is as long. */
const mostBytes = 64 * 1_024 * 1_024

async function* logLinesIn(source: AuditLines): AsyncGenerator<LogLine> {
  let open: Uint8Array[] = []
  let length = 0
  for await (const piece of piecesOf(source)) {
    if (typeof piece === 'string') {
      yield piece.endsWith('\n') ? piece.slice(0, -1) : piece
      continue
    }
    let begin = 0
    for (let end = piece.indexOf(newline); end >= 0; end = piece.indexOf(newline, begin)) {
      yield textOf([...open, piece.subarray(begin, end)])
      open = []
      length = 0
      begin = end + 1
    }
    length += piece.length - begin
    if (length > mostBytes) return yield undefined
    // A copy, because the reader of the file may reuse the memory for the next piece.
    if (begin < piece.length) open.push(piece.slice(begin))
  }
  // A line is written together with its end, so this one is torn.
  if (open.length > 0) yield undefined
}

function piecesOf(source: AuditLines): Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array> {
  if (typeof source === 'string') return [new TextEncoder().encode(source)]
  return source instanceof Uint8Array ? [source] : source
}

/** Decodes strictly: bytes that are not UTF-8 must not pass for the replacement character. */
function textOf(pieces: readonly Uint8Array[]): LogLine {
  try {
    const text = decodePieces(pieces)
    return text === '' ? undefined : text
  } catch {
    return undefined
  }
}
