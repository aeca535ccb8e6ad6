import { yieldWhenBusy } from '../../bounds/yield-when-busy.js'
import { isObject, type JsonObject } from '../../json.js'
import { compileTrusted } from '../../schema/compile-schema.js'
import { visible } from '../../text/visible.js'
import { claimsOf, effectiveHints } from '../../tools/hints.js'
import type { Hints, ToolCall } from '../../tools/tool.js'
import { frozenCopy } from '../frozen-copy.js'
import { identityIn } from '../pin/accepted.js'

/** The facts that a decision on a call is bound to. */
export type BoundCall = {
  readonly caller: string
  readonly server: string | undefined
  /** Identity of the server, if it is known. A decision covers no call to another server of the same name. */
  readonly serverIdentity?: string
  readonly tool: string
  readonly definitionHash: string
  readonly arguments: JsonObject
}

/** A call as it is shown to a person before it is made. It is for this one call: an answer cannot be used again. */
export type ApprovalRequest = {
  /** Id of this request alone, which nobody can guess. */
  readonly id: string
  /** SHA-256 over all that the answer is bound to: caller, server and identity, tool, definition, arguments, policy, id and expiry. */
  readonly digest: string
  /** The same without id and expiry. Identical calls have the same one. */
  readonly callDigest: string
  /** Version of the rules in force, if the policy knows it. */
  readonly policyVersion: string | undefined
  /** This side's name for the server; undefined if this side serves the tool itself. */
  readonly server: string | undefined
  /** Identity of the server, if it is known. An answer holds for no other server of the same name. */
  readonly serverIdentity?: string
  /** The server's words about the tool, with hidden characters written as \u{…}. */
  readonly tool: {
    readonly name: string
    readonly title?: string
    readonly description?: string
    readonly definitionHash: string
  }
  /** The arguments exactly as they will be sent. Only secrets among the fixed arguments of a relayed tool are hidden. */
  readonly arguments: JsonObject
  /** The arguments as text, with hidden characters written as \u{…}. Long ones are on one line. */
  readonly display: string
  /** Hints to act on, with the worst case for each one that is missing or not trusted. */
  readonly hints: Readonly<Required<Hints>>
  /** Hints that the server claims, trusted or not. */
  readonly claims: Readonly<Hints>
  readonly caller: string
  /** Aborted when an answer is no longer wanted. */
  readonly signal: AbortSignal
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** Allows later calls of the tool with matching arguments too, for at most 8 hours. */
export type StandingApproval = {
  readonly forMs: number
  /** A JSON Schema that the arguments of later calls must satisfy. */
  readonly arguments?: JsonObject
}

/** Takes a stored approval for one call, right before that is made. Only one caller gets true; anything else is a denial. */
export type ApprovalRelease = () => boolean | Promise<boolean>

/** The answer of an approver. Any other value counts as a denial. */
export type ApprovalAnswer =
  | 'allow'
  | 'deny'
  | { readonly allow: true; readonly always?: StandingApproval; readonly release?: ApprovalRelease }
  | { readonly deny: string }

/** Shows the request to a person and returns the answer. The call's `context` can ask the caller's own client. */
export type Approver = (request: ApprovalRequest, call: ToolCall) => ApprovalAnswer | Promise<ApprovalAnswer>

/** An answer after validation. */
type Decision =
  | { readonly allowed: true; readonly always?: StandingApproval; readonly release?: ApprovalRelease }
  | { readonly allowed: false; readonly why?: string }

const longestGrantMs = 28_800_000
const longestReason = 1_000

/** Anything but a clear approval is a denial. */
export function readApprovalAnswer(answer: unknown): Decision {
  if (answer === 'allow') return { allowed: true }
  if (!isObject(answer)) return { allowed: false }
  if (typeof answer.deny === 'string') return { allowed: false, why: visible(answer.deny.slice(0, longestReason)) }
  const { allow, release } = answer as { readonly allow?: unknown; readonly release?: unknown } // a hook may return anything
  if (allow !== true || 'deny' in answer || !isRelease(release)) return { allowed: false }
  const once = { allowed: true, ...(release && { release }) } as const
  if (answer.always === undefined) return once
  const always = readAlways(answer.always)
  return always ? { ...once, always } : { allowed: false }
}

const isRelease = (value: unknown): value is ApprovalRelease | undefined => value === undefined || typeof value === 'function'

function readAlways(always: unknown): StandingApproval | undefined {
  if (!isObject(always) || typeof always.forMs !== 'number' || !(always.forMs > 0)) return undefined
  const forMs = Math.min(always.forMs, longestGrantMs)
  if (always.arguments === undefined) return { forMs }
  if (!isObject(always.arguments)) return undefined
  const constraint = frozenCopy(always.arguments as JsonObject) // copying it leaves only JSON
  compileTrusted(constraint) // throws for an invalid schema, which counts as a refusal
  return { forMs, arguments: constraint }
}

/** The arguments as an approver sees them. The operator may have fixed some to a secret, which is not for everyone who decides. */
export async function shownArguments({ tool: { definition }, arguments: args }: ToolCall): Promise<JsonObject> {
  const { fixedArguments } = definition
  if (!fixedArguments) return args
  const { withoutSecrets } = await import('../sanitize/hide-secrets.js')
  return frozenCopy({ ...args, ...withoutSecrets(fixedArguments) })
}

/** If longer arguments were indented, deep ones could take a hundred times their size. */
const longestIndented = 16_384
const sliceLength = 65_536

/** The arguments as they are shown. Long ones are written in turns, because each hidden character takes time. */
export async function displayOf(args: JsonObject): Promise<string> {
  const text = JSON.stringify(args)
  if (text.length <= longestIndented) return visible(JSON.stringify(args, null, 2))
  const rest = yieldWhenBusy()
  let shown = ''
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = from + sliceLength
    if (isHighSurrogate(text.charCodeAt(to - 1))) to++
    shown += visible(text.slice(from, to))
    await rest()
  }
  return shown
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00

/** The members of a request that follow from the call, except for its display. */
export function describeCall(call: ToolCall, definitionHash: string) {
  const { name, listed, definition } = call.tool
  return {
    server: call.server,
    ...identityIn(call.tool),
    tool: Object.freeze({
      name: visible(name),
      ...(listed.title !== undefined && { title: visible(listed.title) }),
      ...(listed.description !== undefined && { description: visible(listed.description) }),
      definitionHash,
    }),
    arguments: call.arguments,
    hints: Object.freeze(effectiveHints(definition.hints)),
    claims: Object.freeze(claimsOf(listed.annotations)),
    caller: call.caller.id,
  }
}
