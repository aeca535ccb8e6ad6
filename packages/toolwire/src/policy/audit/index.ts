import { isLongWork, yieldToEventLoop } from '../../bounds/yield-when-busy.js'
import { visibleLine } from '../../text/visible.js'
import { checkOptions, optionsOf } from '../../tools/checks/known-options.js'
import { Refusal } from '../../tools/refusal.js'
import type { ToolResult } from '../../tools/result.js'
import type { ReadyTool, ToolCall } from '../../tools/tool.js'
import { definitionHash } from '../hash/definition-hash.js'
import type { Next, Policy } from '../policy.js'
import { reliesOnClaim } from '../rules/ask-mark.js'
import type { AuditLog } from './log.js'
import { type AuditRecord, type AuditRecordBase, type CallEnding, endingByThrow, endingOf } from './record.js'
import { type EndedCall, type RecordKeeper, recordKeeper } from './record-keeper.js'
import { LazyDigests, type Redactor, unredacted, withDigests } from './redaction.js'

/** How calls are recorded. */
export type AuditOptions = AuditPlace & {
  /**
   * What is kept of the arguments: a digest of them all if not said, with 'each' also one of each argument, with 'none' the arguments
   * themselves, without what looks like a secret; or what a function of your own gives.
   */
  redact?: 'each' | 'none' | Redactor
  /** For the digests. Without one, equal values match only within this process. */
  key?: Uint8Array
  /** Milliseconds that a record may take to be written. */
  waitMs?: number
}

/** Where records are kept: in a log, or by a function, and then nothing shows whether one was changed. */
type AuditPlace =
  | { log: AuditLog; write?: undefined }
  | {
      log?: undefined
      /** Keeps the record; when it returns, or its promise settles, the record must be safe. */
      write: (record: AuditRecord) => void | Promise<void>
    }

/** The policy, and how it is doing. */
export type AuditPolicy = Policy & {
  /** Why the last record could not be written; undefined when all is well. */
  readonly trouble: unknown
}

const known = optionsOf<AuditOptions>()('log write redact key waitMs')

/**
 * Records every call: what is about to be done before it is done, and how it ended before the caller hears. No record, no call.
 *
 * @example
 * ```ts
 * const policy = audit({ log: memoryAudit() })
 * ```
 */
export function audit(options: AuditOptions): AuditPolicy {
  checkOptions('`audit`', options, known)
  const { log, write, redact, key, waitMs = 5_000 } = options
  const records = recordKeeper({ append: log ? (record) => log.append(record) : write, parts: log?.parts, waitMs })
  const digests = withDigests({ key, each: redact === 'each', lazily: log?.parts !== undefined })
  const ours = redact === 'none' ? unredacted : digests
  const redactor = typeof redact === 'function' ? redact : ours
  return {
    name: 'audit',
    get trouble() {
      return records.trouble
    },
    call(call, next) {
      let about: AuditRecordBase
      let intended: void | Promise<void>
      let kept: ReturnType<Redactor> | undefined
      try {
        about = recordOf(call)
        const keep = () => {
          kept = redactor(call)
          return kept
        }
        intended = records.intend(about, keep)
        // Writing down so much has taken as long as others should wait.
        if (kept instanceof LazyDigests && isLongWork(kept.characters))
          intended = Promise.all([intended, yieldToEventLoop()]).then(nothing)
      } catch (cause) {
        return Promise.reject(notRecorded(call, cause))
      }
      const recorded = { call, about, records }
      // A log that answers at once is not waited for.
      if (!intended) return makeRecorded(recorded, next)
      const refuse = (cause: unknown) => Promise.reject(notRecorded(call, cause))
      return intended.then(() => makeRecorded(recorded, next), refuse)
    },
  }
}

type RecordedCall = { readonly call: ToolCall; readonly about: AuditRecordBase; readonly records: RecordKeeper }

/** Makes the call, and holds back what came of it until that is recorded. */
function makeRecorded(recorded: RecordedCall, next: Next): Promise<ToolResult> {
  const { call } = recorded
  const startedAt = performance.now()
  return callNext(call, next).then(
    (result) => recordEnd(recorded, { ending: withGround(endingOf(result), call), startedAt }, () => result),
    (thrown) =>
      recordEnd(recorded, { ending: withGround(endingByThrow(thrown, call.context.signal), call), startedAt }, () => {
        throw thrown
      }),
  )
}

const nothing = () => undefined

function withGround(ending: CallEnding, call: ToolCall): CallEnding {
  const { policyVersion } = call.context
  if (policyVersion === undefined) return ending
  const { decision, outcome, reason } = ending
  return { decision, outcome, reason, ground: decision === 'allowed' && reliesOnClaim(call) ? 'claim' : undefined, policyVersion }
}

/** A policy may throw before it has anything to wait for. */
function callNext(call: ToolCall, next: Next): Promise<ToolResult> {
  try {
    return next(call)
  } catch (thrown) {
    return Promise.reject(thrown)
  }
}

function recordEnd(
  { call, about, records }: RecordedCall,
  ended: EndedCall,
  deliver: () => ToolResult,
): ToolResult | Promise<ToolResult> {
  let kept: void | Promise<void>
  try {
    kept = records.end(about, ended)
  } catch (cause) {
    throw resultWithheld(call, ended.ending, cause)
  }
  if (!kept) return deliver()
  return kept.then(deliver, (cause) => Promise.reject(resultWithheld(call, ended.ending, cause)))
}

type ShownTool = Pick<AuditRecordBase, 'server' | 'serverIdentity' | 'tool' | 'definitionHash'> & {
  readonly given: string | undefined
}
/** Enough to tell servers apart, and short enough to stand in every record. */
const identityShown = 19
const shown = new WeakMap<ReadyTool, ShownTool>()

/** How a tool and its server are written; both are a stranger's words. */
function shownToolOf({ tool, server }: ToolCall): ShownTool {
  const known = shown.get(tool)
  if (known && known.given === server) return known
  const visible = server === undefined ? undefined : visibleLine(server)
  const { serverIdentity } = tool.definition
  const whose = serverIdentity === undefined ? undefined : visibleLine(serverIdentity.slice(0, identityShown))
  const about = { tool: visibleLine(tool.name), definitionHash: definitionHash(tool) }
  const made = { given: server, server: visible, serverIdentity: whose, ...about }
  shown.set(tool, made)
  return made
}

function recordOf(call: ToolCall): AuditRecordBase {
  const { server, serverIdentity, tool, definitionHash } = shownToolOf(call)
  const continued = call.context.continued ? true : undefined
  const caller = callerShown(call.caller.id)
  return { id: nextId(), at: Date.now(), server, serverIdentity, tool, definitionHash, caller, continued }
}

let latestCaller = { id: '', shown: '' }

/** Mostly it is the same as last time. */
function callerShown(id: string): string {
  if (latestCaller.id !== id) latestCaller = { id, shown: visibleLine(id) }
  return latestCaller.shown
}

let thisProcess: string | undefined
let count = 0

/** Cheaper than making up an id for each call, and no less unique. */
function nextId(): string {
  thisProcess ??= crypto.randomUUID().slice(0, 23)
  count++
  return `${thisProcess}-${count}`
}

const notRecorded = ({ tool }: ToolCall, cause: unknown): Refusal =>
  new Refusal('unrecorded', `The call to ${tool.name} could not be recorded, so it was not made; try again later.`, { cause })

function resultWithheld({ tool }: ToolCall, { decision }: CallEnding, cause: unknown): Refusal {
  const what = decision === 'refused' ? 'was refused' : 'was made'
  const advice = decision === 'refused' ? '' : ' Do not repeat it before checking what it did.'
  const said = `The call to ${tool.name} ${what}, but how it ended could not be recorded and is withheld.${advice}`
  return new Refusal('unrecorded', said, { cause })
}
