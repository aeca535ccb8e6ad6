import { encodeJson } from '../../json.js'
import type { AuditRecord, AuditRecordBase, CallEnding } from './record.js'
import { ArgumentDigests, LazyDigests } from './redaction.js'

const mostCharacters = 8 * 1_024 * 1_024
/** Of arguments that wait for their digests: what is longer is digested at once. */
const mostUndigested = 1_024 * 1_024

/** The latest of many records, oldest first. Rows are used again: objects that stay for a while keep the garbage collector busy. */
export class MemoryRows {
  readonly #most: number
  readonly #dropping: (oldest: () => AuditRecord) => void
  #rows: Row[] = []
  /** Where the oldest is. */
  #first = 0
  #size = 0
  #characters = 0
  #undigested = 0

  /** Told of each record before it is dropped. */
  constructor(most: number, dropping: (oldest: () => AuditRecord) => void) {
    this.#most = most
    this.#dropping = dropping
  }

  push(record: AuditRecord): void {
    if (record.kind === 'intent') this.intend(record, record.arguments)
    else this.end(record, record, record)
  }

  intend(about: AuditRecordBase, args: object): void {
    const row = this.#free()
    row.kind = 'intent'
    row.at = about.at
    fill(row, about)
    fillArguments(row, args)
    this.#characters += row.characters
    this.#size++
    if (args instanceof LazyDigests) this.#undigested += args.characters
    if (this.#undigested > mostUndigested) this.digest()
    while (this.#characters > mostCharacters && this.#size > 1) this.#drop()
  }

  end(about: AuditRecordBase, ending: CallEnding, { at, durationMs }: { at: number; durationMs: number }): void {
    const row = this.#free()
    row.kind = 'outcome'
    row.at = at
    fill(row, about)
    fillEnding(row, ending, durationMs)
    this.#size++
  }

  /** Those after the first so many. */
  records(after = 0): AuditRecord[] {
    return Array.from({ length: this.#size - after }, (_, at) => recordIn(this.#at(after + at)))
  }

  /** From now on there are digests only, and nothing of the arguments themselves. */
  digest(): void {
    this.#undigested = 0
    for (const row of this.#rows) digest(row)
  }

  #free(): Row {
    if (this.#size === this.#most) this.#drop()
    if (this.#size === this.#rows.length) this.#grow()
    return this.#at(this.#size)
  }

  #grow(): void {
    this.#rows = [...this.#rows.slice(this.#first), ...this.#rows.slice(0, this.#first)]
    for (let more = Math.min(this.#most - this.#size, 256); more > 0; more--) this.#rows.push(emptyRow())
    this.#first = 0
  }

  #at(position: number): Row {
    return this.#rows[(this.#first + position) % this.#rows.length]! // there is one for each place
  }

  #drop(): void {
    const row = this.#at(0)
    this.#dropping(() => recordIn(row))
    this.#characters -= row.characters
    row.arguments = undefined
    this.#first = (this.#first + 1) % this.#rows.length
    this.#size--
  }
}

/** A record of either kind. */
type Row = {
  kind: AuditRecord['kind']
  id: string
  at: number
  server: string | undefined
  serverIdentity: string | undefined
  tool: string
  definitionHash: string
  caller: string
  continued: true | undefined
  /** As text, unless they are known never to change. */
  arguments: LazyDigests | ArgumentDigests | string | undefined
  durationMs: number
  decision: CallEnding['decision']
  outcome: CallEnding['outcome']
  reason: CallEnding['reason']
  ground: CallEnding['ground']
  policyVersion: string | undefined
  /** About how much it holds besides what all rows have. */
  characters: number
}

const emptyRow = (): Row => ({
  kind: 'intent',
  id: '',
  at: 0,
  server: undefined,
  serverIdentity: undefined,
  tool: '',
  definitionHash: '',
  caller: '',
  continued: undefined,
  arguments: undefined,
  durationMs: 0,
  decision: 'allowed',
  outcome: 'ok',
  reason: undefined,
  ground: undefined,
  policyVersion: undefined,
  characters: 0,
})

function fill(row: Row, { id, server, serverIdentity, tool, definitionHash, caller, continued }: AuditRecordBase): void {
  row.id = id
  row.server = server
  row.serverIdentity = serverIdentity
  row.tool = tool
  row.definitionHash = definitionHash
  row.caller = caller
  row.continued = continued
  row.characters = 0
}

function fillArguments(row: Row, args: object): void {
  row.arguments = args instanceof LazyDigests || (args instanceof ArgumentDigests && !args.named) ? args : encodeJson(args)
  row.characters = charactersOf(row.arguments)
}

function charactersOf(kept: Row['arguments']): number {
  if (kept instanceof LazyDigests) return kept.characters
  return typeof kept === 'string' ? kept.length : 0
}

function fillEnding(row: Row, { decision, outcome, reason, ground, policyVersion }: CallEnding, durationMs: number): void {
  row.durationMs = durationMs
  row.decision = decision
  row.outcome = outcome
  row.reason = reason
  row.ground = ground
  row.policyVersion = policyVersion
}

function recordIn(row: Row): AuditRecord {
  const { id, at, server, serverIdentity, tool, definitionHash, caller, continued } = row
  const whose = { ...(server !== undefined && { server }), ...(serverIdentity !== undefined && { serverIdentity }) }
  const about = { id, at, ...whose, tool, definitionHash, caller, ...(continued && { continued }) }
  if (row.kind === 'intent') return { kind: row.kind, ...about, arguments: argumentsIn(row) }
  const { kind, durationMs, decision, outcome, reason, ground, policyVersion } = row
  const why = { ...(reason && { reason }), ...(ground && { ground }), ...(policyVersion && { policyVersion }) }
  return { kind, ...about, durationMs, decision, outcome, ...why }
}

function argumentsIn(row: Row) {
  digest(row)
  const { arguments: kept = {} } = row
  return typeof kept === 'string' ? JSON.parse(kept) : kept
}

function digest(row: Row): void {
  if (row.arguments instanceof LazyDigests) row.arguments = row.arguments.digests
}
