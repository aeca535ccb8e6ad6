import type { JsonObject } from '../json.js'
import { Refusal } from '../tools/refusal.js'
import type { ToolResult } from '../tools/result.js'
import type { ReadyTool, ToolCall } from '../tools/tool.js'
import { access, unknownTool } from './access.js'
import { frozenArguments, frozenCopy } from './frozen.js'
import { type LimitStore, limitsHere } from './limit-store.js'
import { type Next, onceForEach, type Policy, those } from './policy.js'
import type { Redactor } from './redaction.js'
import { markAsked } from './rules/asked.js'
import { markClaimed } from './rules/claimed.js'
import type { Verdict } from './rules/compiled-rule.js'
import { everythingRedacted, withoutPaths } from './rules/redact-paths.js'
import type { Rule } from './rules/rule-set.js'
import type { Rulebook } from './rules/rulebook.js'
import { inForce, type Rules } from './rules/source.js'
import { Terms } from './rules/terms.js'

/** What rules need besides themselves. */
export type RulesOptions = {
  /**
   * Asks a person about the calls that a rule says `ask` of, and must heed `asked`: `approve({ ask, when: asked })`. With 'later'
   * such a policy stands further in. Without either these calls are refused.
   */
  ask?: Policy | 'later'
  /** Keeps the allowances of rules with a limit: in this process, unless replicas share them. */
  store?: LimitStore
  /** Where a tool lives: what this side calls its server, unless the call says; what its definition says, if not said. */
  serverOf?: (tool: ReadyTool) => string | undefined
}

/** The policy, and what it keeps out of logs. */
export type Ruling = Policy & {
  /** For `audit({ redact })`: the arguments without what any rule about the tool calls a secret. */
  readonly redact: Redactor
  /** Digest of the rules in force: an approval holds only as long as they do. */
  readonly version: string
  /** The same rules, for where a policy further in asks about the calls that a rule says `ask` of. */
  later(): Ruling
}

/**
 * Lets calls through, refuses them, or has a person asked, as the first rule says that matches. Where the rules cannot be
 * evaluated the answer is no.
 */
export function rules(source: Rules, options: RulesOptions = {}): Ruling {
  const { ask, store = limitsHere(), serverOf = serverIn } = options
  const current = inForce(source)
  const terms = new Terms(store)
  return {
    name: 'rules',
    list: listed(current, serverOf),
    call(made, next) {
      try {
        const given = placed(made, serverOf)
        const verdict = judged(current, given)
        if (verdict.byClaim) markClaimed(given)
        if (verdict.decision === 'deny') throw orUnknown(current, given, denied(given, verdict))
        if (verdict.decision === 'allow' && !verdict.terms.some(isBound)) return next(given)
        const waiting = admitted(given, verdict, terms)
        const timed: Next = (passed) => terms.timed(passed, verdict.terms, next)
        const goOn: Next = (call) => (verdict.decision === 'ask' ? askedAbout(call, ask, timed) : timed(call))
        // Without a pause, nothing can change between the verdict and the call.
        return waiting instanceof Promise ? waiting.then(goOn) : goOn(waiting)
      } catch (thrown) {
        return Promise.reject(thrown)
      }
    },
    redact: (call) => redacted(current, placed(call, serverOf)),
    get version() {
      return current().version
    },
    later: () => rules(source, { ...options, store, ask: 'later' }),
  }
}

const serverIn = ({ definition }: ReadyTool) => definition.server
/** A call says where it goes, and lists and calls are judged alike. */
function placed(call: ToolCall, serverOf: NonNullable<RulesOptions['serverOf']>): ToolCall {
  const server = call.server ?? serverOf(call.tool)
  return server === call.server || server === undefined ? call : { ...call, server }
}

/** Most rules say yes or no, and nothing of how often or for how long. */
const isBound = ({ limit, timeout }: Rule): boolean => limit !== undefined || timeout !== undefined
const scopes = access()

/** Where it is the same for all callers, it is found out once for as long as the same rules are in force. */
function listed(current: () => Rulebook, serverOf: NonNullable<RulesOptions['serverOf']>): NonNullable<Policy['list']> {
  const shownTo = (tools: readonly ReadyTool[], caller: ToolCall['caller']) =>
    those(tools, (tool) => !hides(current, tool, { caller, server: serverOf(tool) }))
  const forAll = onceForEach((tools) => ({ book: current(), shown: shownTo(tools, nobody) }))
  return (tools, caller) => {
    const book = bookIn(current)
    if (!book || book.tellsApart) return shownTo(tools, caller)
    return forAll(tools, (said) => said.book === book).shown
  }
}

const nobody: ToolCall['caller'] = { id: '', scopes: [] }

function bookIn(current: () => Rulebook): Rulebook | undefined {
  try {
    return current()
  } catch {
    return undefined
  }
}

/** What a caller may not see does not exist, and what cannot be told is not shown. */
function hides(
  current: () => Rulebook,
  tool: ReadyTool,
  { caller, server }: { caller: ToolCall['caller']; server: string | undefined },
): boolean {
  try {
    return current().hides(tool, caller, server)
  } catch {
    return true
  }
}

function judged(current: () => Rulebook, call: ToolCall): Verdict {
  const { tool, caller } = call
  // No word from here may tell that a tool exists which scopes hide.
  if (scopes.applies?.(tool) && scopes.list?.([tool], caller).length === 0) throw unknownTool(tool.name)
  try {
    const book = current()
    call.context.policyVersion = book.shortVersion
    return book.judge(call)
  } catch (thrown) {
    throw orUnknown(current, call, undecided(call, thrown))
  }
}

/** The refusal, unless the caller does not even see the tool: to them it does not exist. */
function orUnknown(current: () => Rulebook, { tool, caller, server }: ToolCall, refusal: Refusal): Refusal {
  try {
    return current().hides(tool, caller, server) ? unknownTool(tool.name) : refusal
  } catch {
    return refusal // whether it is hidden cannot be told either, and the reason for that is what counts
  }
}

/** Takes the call from its allowances. What was judged goes on, even if the arguments are changed while a store is asked. */
function admitted(call: ToolCall, { terms: rules }: Verdict, terms: Terms): ToolCall | Promise<ToolCall> {
  const failed = (thrown: unknown) => (thrown instanceof Refusal ? thrown : undecided(call, thrown))
  try {
    const waiting = terms.admit(call, rules)
    if (!waiting) return call
    const fixed = frozenArguments(call.arguments)
    const same = { ...call, arguments: fixed, input: call.input === call.arguments ? fixed : call.input }
    return waiting.then(
      () => same,
      (thrown) => Promise.reject(failed(thrown)),
    )
  } catch (thrown) {
    throw failed(thrown)
  }
}

async function askedAbout(call: ToolCall, ask: RulesOptions['ask'], next: Next): Promise<ToolResult> {
  const taken = markAsked(call)
  if (ask === 'later') return next(call)
  if (!ask?.call) throw nobodyToAsk(call)
  return ask.call(call, (passed) => (taken() ? next(passed) : Promise.reject(nobodyToAsk(call))))
}

function redacted(current: () => Rulebook, call: ToolCall): JsonObject {
  try {
    const book = current()
    const paths = [...(book.set.redact ?? []), ...book.concerning(call).flatMap(({ redact = [] }) => redact)]
    return frozenCopy(withoutPaths(call.arguments, paths))
  } catch {
    return everythingRedacted(call.arguments)
  }
}

function denied({ tool }: ToolCall, { rule }: Verdict): Refusal {
  const why = rule?.because ? `: ${rule.because}` : ''
  return new Refusal('forbidden', `This call to ${tool.name} is not allowed${why}`)
}

const undecided = ({ tool }: ToolCall, cause: unknown): Refusal =>
  new Refusal('forbidden', `The rules could not be evaluated, so the call to ${tool.name} was not made.`, { cause })

const nobodyToAsk = ({ tool }: ToolCall): Refusal =>
  new Refusal('not-approved', `The call to ${tool.name} needs approval, and there is nobody to ask.`)
