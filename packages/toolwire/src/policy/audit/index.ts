import { isLongWork, longestWorkMs, yieldToEventLoop } from '../../bounds/yield-when-busy.js'
import { visibleLine } from '../../text/visible.js'
import { checkOptions, optionsOf } from '../../tools/checks/known-options.js'
import { atLeast, either, oneOf, someFunction, someObject } from '../../tools/checks/option-values.js'
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

export type AuditOptions = AuditPlace & {
  /**
   * Arguments in the record. By default a digest of them all; 'each' adds one of each argument that the tool's schema names. 'none' keeps
   * the arguments themselves, except for what looks like a secret. A function returns what to keep.
   */
  redact?: 'each' | 'none' | Redactor
  /** Key of the digests. Without one, equal values match only within this process. */
  key?: Uint8Array
  /** Milliseconds that a record may take to be written. */
  waitMs?: number
}

/** Destination of the records: a log, or a function. With a function, nothing shows whether a record was changed. */
type AuditPlace =
  | { log: AuditLog; write?: undefined }
  | {
      log?: undefined
      /** Stores the record. When it returns, or its promise resolves, the record must be safe. */
      write: (record: AuditRecord) => void | Promise<void>
    }

/** The policy, which also tells whether it can write records. */
export type AuditPolicy = Policy & {
  /** The error of the last record, if it could not be written; undefined when all is well. */
  readonly trouble: unknown
  /** @internal Records what is no call of a tool, such as reads of resources. */
  readonly records: RecordKeeper
}

const known = optionsOf<AuditOptions>()({
  log: someObject,
  write: someFunction,
  redact: either(oneOf('each', 'none'), someFunction),
  key: someObject,
  waitMs: atLeast(0),
})

/**
 * Records every call: its intent before it is made, and its outcome before the caller hears. A call that cannot be recorded is not made.
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
  const isLazy = redact === undefined && log?.parts !== undefined
  return {
    name: 'audit',
    records,
    get trouble() {
      return records.trouble
    },
    call(call, next) {
      let about: AuditRecordBase
      let intended: void | Promise<void>
      let kept: ReturnType<Redactor> | undefined
      try {
        about = recordOf(call)
        // The time is not read for calls that are only copied.
        const began = isLazy ? 0 : performance.now()
        const keep = () => {
          kept = redactor(call)
          return kept
        }
        intended = records.intend(about, keep)
        // Copying or digesting so much has taken as long as others should wait.
        if (kept instanceof LazyDigests ? isLongWork(kept.characters) : performance.now() - began > longestWorkMs)
          intended = Promise.all([intended, yieldToEventLoop()]).then(nothing)
      } catch (cause) {
        return Promise.reject(notRecorded(call, cause))
      }
      const recorded = { call, about, records }
      // A log that answers synchronously is not waited for.
      if (!intended) return makeRecorded(recorded, next)
      const refuse = (cause: unknown) => Promise.reject(notRecorded(call, cause))
      return intended.then(() => makeRecorded(recorded, next), refuse)
    },
  }
}

type RecordedCall = { readonly call: ToolCall; readonly about: AuditRecordBase; readonly records: RecordKeeper }

/** Makes the call, and withholds its result until the outcome is recorded. */
function makeRecorded(recorded: RecordedCall, next: Next): Promise<ToolResult> {
  const { call } = recorded
  const { cancelToken } = call.context
  const startedAt = performance.now()
  return callNext(call, next).then(
    (result) => recordEnd(recorded, { ending: withGround(endingOf(result, cancelToken), call), startedAt }, () => result),
    (thrown) =>
      recordEnd(recorded, { ending: withGround(endingByThrow(thrown, cancelToken), call), startedAt }, () => {
        throw thrown
      }),
  )
}

const nothing = () => undefined

function withGround(ending: CallEnding, call: ToolCall): CallEnding {
  const { policyVersion, grant } = call.context
  if (policyVersion === undefined && grant === undefined) return ending
  const { decision, outcome, reason } = ending
  return { decision, outcome, reason, ground: decision === 'allowed' ? groundOf(call) : undefined, policyVersion }
}

const longestGrantId = 64

/** A store of one's own may give a grant any id. */
function groundOf(call: ToolCall): CallEnding['ground'] {
  const { grant } = call.context
  if (grant !== undefined) return `grant:${visibleLine(grant.slice(0, longestGrantId))}`
  return reliesOnClaim(call) ? 'claim' : undefined
}

/** A policy may throw synchronously. */
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

type AuditedTool = Pick<AuditRecordBase, 'server' | 'serverIdentity' | 'tool' | 'definitionHash'> & {
  readonly given: string | undefined
}
/** Enough characters to tell servers apart, and few enough for every record. */
const identityLength = 19
const auditedTools = new WeakMap<ReadyTool, AuditedTool>()

/** The names of a tool and its server, as they are recorded. Both are untrusted text. */
function auditedToolOf({ tool, server }: ToolCall): AuditedTool {
  const known = auditedTools.get(tool)
  if (known && known.given === server) return known
  const visible = server === undefined ? undefined : visibleLine(server)
  const { serverIdentity } = tool.definition
  const whose = serverIdentity === undefined ? undefined : visibleLine(serverIdentity.slice(0, identityLength))
  const about = { tool: visibleLine(tool.name), definitionHash: definitionHash(tool) }
  const made = { given: server, server: visible, serverIdentity: whose, ...about }
  auditedTools.set(tool, made)
  return made
}

function recordOf(call: ToolCall): AuditRecordBase {
  const { server, serverIdentity, tool, definitionHash } = auditedToolOf(call)
  const continued = call.context.continued ? true : undefined
  const caller = visibleCaller(call.caller.id)
  return { id: nextId(), at: Date.now(), server, serverIdentity, tool, definitionHash, caller, continued }
}

let latestCaller = { id: '', visible: '' }

/** Cached, because most calls have the same caller as the call before. */
function visibleCaller(id: string): string {
  if (latestCaller.id !== id) latestCaller = { id, visible: visibleLine(id) }
  return latestCaller.visible
}

let thisProcess: string | undefined
let count = 0

/** Cheaper than a random id for each call, and no less unique. */
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
  const said = `The call to ${tool.name} ${what}, but its outcome could not be recorded, so the result is withheld.${advice}`
  return new Refusal('unrecorded', said, { cause })
}
