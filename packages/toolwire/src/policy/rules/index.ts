import type { JsonObject } from '../../json.js'
import type { Caller } from '../../tools/caller.js'
import { checkOptions, optionsOf } from '../../tools/checks/known-options.js'
import { either, oneOf, someFunction, someObject } from '../../tools/checks/option-values.js'
import { Refusal } from '../../tools/refusal.js'
import type { ToolResult } from '../../tools/result.js'
import type { ReadyTool, ToolCall } from '../../tools/tool.js'
import { access, unknownTool } from '../access/index.js'
import type { Redactor } from '../audit/redaction.js'
import { frozenArguments, frozenCopy } from '../frozen-copy.js'
import { filterTools, memoizeLongLists, type Next, type Policy, type ReadEnd } from '../policy.js'
import { type LimitStore, memoryLimits } from '../rate-limit/store.js'
import { withoutSecrets } from '../sanitize/hide-secrets.js'
import { markAsked, markClaimed } from './ask-mark.js'
import type { RuleVerdict } from './compiled-rule.js'
import type { HasReceived } from './facts.js'
import { holdLabels, type LabelHold, type LabelStore, labelsReceivedBy, takeBackLater } from './label-store.js'
import { ReceivedLabels } from './received-labels.js'
import { redactAll, withoutPaths } from './redact-paths.js'
import { type RuleLimits, ruleLimitsIn } from './rule-limits.js'
import type { Rule } from './rule-set.js'
import { type Rulebook, type Rules, rulesInForce } from './rulebook.js'

export type RulesOptions = {
  /**
   * Asks a person about the calls that a rule says `ask` of: `approve({ ask })`. With 'later' such a policy stands further in. Without
   * either, or if its `when` ignores the rules, these calls are refused.
   */
  ask?: Policy | 'later'
  /** Store for the limits of rules; in this process by default. Replicas can share one. */
  store?: LimitStore
  /** This side's name for a tool's server, if the call has none. By default, the server in the tool's definition. */
  serverOf?: (tool: ReadyTool) => string | undefined
  /**
   * Labels that callers have received; in this process by default. Replicas can share them. Give the same object to new rules after a change
   * of the config.
   */
  received?: LabelStore
}

/** The policy, with a redactor for audit logs and the version of its rules. */
export type RulesPolicy = Policy & {
  /** For `audit({ redact })`: the arguments without what looks like a secret, and without those that a rule about the tool redacts. */
  readonly redact: Redactor
  /** Digest of the rules in force. An approval holds only as long as they stay the same. */
  readonly version: string
  /**
   * Refuses resources and prompts of a server if a rule denies all of that server; else the caller receives its labels. Their periods begin
   * with a call of the returned function, when nothing more of the read can arrive. Returns a promise if the labels are shared.
   */
  read(server: string, caller: Caller): ReadEnd | Promise<ReadEnd>
  /** Refuses a call that other rules let through, if those in force would stop it. */
  recheck(call: ToolCall): void | Promise<void>
  /** The same rules, for use with a policy further in that asks about the calls that a rule says `ask` of. */
  later(): RulesPolicy
}

const known = optionsOf<RulesOptions>()({
  ask: either(oneOf('later'), someObject),
  'store received': someObject,
  serverOf: someFunction,
})

/**
 * Allows calls, refuses them, or has a person asked, as the first matching rule says. If the rules cannot be evaluated, the call is
 * refused.
 *
 * @example
 * ```ts
 * const policy = rules(await loadRules('rules.json'))
 * ```
 */
export function rules(source: Rules, options: RulesOptions = {}): RulesPolicy {
  checkOptions('rules()', options, known)
  const { ask, store = memoryLimits(), serverOf = serverIn, received = new ReceivedLabels() } = options
  const current = rulesInForce(source)
  const ruleLimits = ruleLimitsIn(store)

  /** Throws if the caller may not even know that the tool exists. */
  function knownFor(call: ToolCall): HasReceived | Promise<HasReceived> {
    checkVisible(call)
    return evaluated(current, call, (book) => labelsReceivedBy(call.caller, book.labelsThatMatter(call), received))
  }

  function judged(call: ToolCall, known: HasReceived, next: Next): Promise<ToolResult> {
    const ruleVerdict = verdictFor(current, call, known)
    if (ruleVerdict.byClaim) markClaimed(call)
    if (ruleVerdict.decision === 'deny') throw unlessHidden(current, call, deniedByRule(call, ruleVerdict))
    const { isAboutFlows, labels } = evaluated(current, call, (book) => ({
      isAboutFlows: book.isAboutFlows,
      labels: book.labelsOf(call, known),
    }))
    if (isAboutFlows) checkAnswersTo(call, ruleVerdict, () => judgeAgain(call))
    const sent = labels.length === 0 ? next : withLabels(next, ({ caller }) => holdLabels(caller, labels, received))
    if (ruleVerdict.decision === 'allow' && !ruleVerdict.terms.some(isBound)) return sent(call)
    const waiting = takeFromLimits(call, ruleVerdict, ruleLimits)
    const timed: Next = (passed) => ruleLimits.timed(passed, ruleVerdict.terms, sent)
    const goOn: Next = (passed) => (ruleVerdict.decision === 'ask' ? requestApproval(passed, ask, timed) : timed(passed))
    // Without a pause, nothing can change between the verdict and the call. During a pause, its arguments stay as they were judged.
    return waiting instanceof Promise ? waiting.then(goOn) : goOn(waiting)
  }

  function judgeAgain(call: ToolCall): RuleVerdict | Promise<RuleVerdict> {
    const known = labelsReceivedBy(call.caller, current().labelsThatMatter(call), received)
    return known instanceof Promise ? known.then((has) => current().judge(call, has)) : current().judge(call, known)
  }

  return {
    name: 'rules',
    list: listVisible(current, serverOf),
    hides: (tool, caller) => orElse(() => current().hides(tool, caller, serverOf(tool)), false),
    hidesServer: (server, caller) => orElse(() => current().hidesServer(server, caller), true),
    call(made, next) {
      try {
        const given = withServer(made, serverOf)
        const known = knownFor(given)
        if (!(known instanceof Promise)) return judged(given, known, next)
        const fail = (cause: unknown) => Promise.reject(notEvaluated(current, given, cause))
        return fixedDuring(given, known).then(([fixed, has]) => judged(fixed, has, next), fail)
      } catch (thrown) {
        return Promise.reject(thrown)
      }
    },
    redact: (call) => withoutSecrets(redactedArguments(current, withServer(call, serverOf))),
    get version() {
      return current().version
    },
    read(server, caller): ReadEnd | Promise<ReadEnd> {
      const failed = (cause: unknown) => rulesFailed(`nothing of ${server} was read`, cause)
      const hold = (known: HasReceived): ReadEnd | Promise<ReadEnd> => {
        const { denied: by, labels } = orFail(() => current().judgeServer(server, caller, known), failed)
        if (by) throw new Refusal('forbidden', `Resources and prompts of ${server} are not allowed${becauseOf(by)}`)
        const holding = orFail(() => holdLabels(caller, labels, received), failed)
        return holding instanceof Promise ? holding.then(endOf, (cause) => Promise.reject(failed(cause))) : endOf(holding)
      }
      const known = orFail(() => labelsReceivedBy(caller, current().labelsThatMatterTo(server), received), failed)
      return known instanceof Promise ? known.then(hold, (cause) => Promise.reject(failed(cause))) : hold(known)
    },
    recheck(made): void | Promise<void> {
      const call = withServer(made, serverOf)
      if (call.context.policyVersion === evaluated(current, call, (book) => book.shortVersion)) return
      const failed = (cause: unknown) => notEvaluated(current, call, cause)
      const check = (verdict: RuleVerdict) => {
        if (verdict.decision !== 'allow') throw unlessHidden(current, call, stoppedByChange(call, verdict))
      }
      const now = orFail(() => judgeAgain(call), failed)
      return now instanceof Promise ? now.then(check, (cause) => Promise.reject(failed(cause))) : check(now)
    },
    later: () => rules(source, { ...options, store, received, ask: 'later' }),
  }
}

const serverIn = ({ definition }: ReadyTool) => definition.server
/** Adds the server to a call that does not name it, because lists and calls are judged alike. */
function withServer(call: ToolCall, serverOf: NonNullable<RulesOptions['serverOf']>): ToolCall {
  const server = call.server ?? serverOf(call.tool)
  return server === call.server || server === undefined ? call : { ...call, server }
}

/** Most rules have neither a limit nor a timeout. */
const isBound = ({ limit, timeout }: Rule): boolean => limit !== undefined || timeout !== undefined
const scopes = access()

/** Lists visible tools. A list that is the same for all callers is computed once for as long as the same rules are in force. */
function listVisible(current: () => Rulebook, serverOf: NonNullable<RulesOptions['serverOf']>): NonNullable<Policy['list']> {
  // A tool that a caller may not see does not exist for that caller. If the rules cannot be evaluated, it is not shown.
  const shownTo = (tools: readonly ReadyTool[], caller: Caller) =>
    filterTools(tools, (tool) => orElse(() => !current().hides(tool, caller, serverOf(tool)), false))
  const forAll = memoizeLongLists((tools) => ({ book: current(), shown: shownTo(tools, nobody) }))
  return (tools, caller) => {
    const book = orElse<Rulebook | undefined>(current, undefined)
    if (!book || book.tellsApart) return shownTo(tools, caller)
    return forAll(tools, (said) => said.book === book).shown
  }
}

const nobody: Caller = { id: '', scopes: [] }

/** Returns the result of `tell`, or `unknown` if it throws. */
function orElse<T>(tell: () => T, unknown: T): T {
  try {
    return tell()
  } catch {
    return unknown
  }
}

/** Holds the labels until nothing more of the call can reach the caller. */
function withLabels(next: Next, hold: (call: ToolCall) => LabelHold | Promise<LabelHold>): Next {
  return async (given) => {
    const holding = orFail(
      () => hold(given),
      (cause) => rulesFailed(notMade(given), cause),
    )
    const [call, held] = holding instanceof Promise ? await fixedUntilHeld(given, holding) : [given, holding]
    const { context } = call
    const end = () => held.end(context.keptMs)
    context.onOver?.(end)
    try {
      return await next(call)
    } catch (thrown) {
      if (thrown instanceof Refusal && thrown.wasCalled === false) held.takeBack()
      throw thrown
    } finally {
      if (!context.onOver) end()
    }
  }
}

async function fixedUntilHeld(call: ToolCall, holding: Promise<LabelHold>): Promise<readonly [ToolCall, LabelHold]> {
  try {
    return await fixedDuring(call, holding)
  } catch (thrown) {
    takeBackLater(holding)
    throw thrown instanceof Refusal ? thrown : rulesFailed(notMade(call), thrown)
  }
}

const endOf =
  ({ end }: LabelHold): ReadEnd =>
  () =>
    end()

/** Waits for the work. The call goes on with its arguments of this moment, even if they change meanwhile. */
const fixedDuring = <T>(call: ToolCall, work: Promise<T>): Promise<[ToolCall, T]> => Promise.all([withFixedArguments(call), work])

/** Promises the call at once, so that a failure is that of the wait. */
async function withFixedArguments(call: ToolCall): Promise<ToolCall> {
  const fixed = frozenArguments(call.arguments)
  return { ...call, arguments: fixed, input: call.input === call.arguments ? fixed : call.input }
}

/** No message from the rules may reveal a tool that scopes hide. */
function checkVisible({ tool, caller }: ToolCall): void {
  if (scopes.hides?.(tool, caller)) throw unknownTool(tool.name)
}

function verdictFor(current: () => Rulebook, call: ToolCall, received: HasReceived): RuleVerdict {
  return evaluated(current, call, (book) => {
    call.context.policyVersion = book.shortVersion
    return book.judge(call, received)
  })
}

/** Refuses the call if its rules cannot be evaluated. */
function evaluated<T>(current: () => Rulebook, call: ToolCall, evaluate: (book: Rulebook) => T): T {
  return orFail(
    () => evaluate(current()),
    (cause) => notEvaluated(current, call, cause),
  )
}

const notEvaluated = (current: () => Rulebook, call: ToolCall, cause: unknown): Refusal =>
  unlessHidden(current, call, cause instanceof Refusal ? cause : rulesFailed(notMade(call), cause))

function orFail<T>(work: () => T, failed: (cause: unknown) => Refusal): T {
  try {
    return work()
  } catch (cause) {
    throw failed(cause)
  }
}

/** Has the answers to the call's questions checked, after the checks of other policies with rules. */
function checkAnswersTo(call: ToolCall, before: RuleVerdict, judge: () => RuleVerdict | Promise<RuleVerdict>): void {
  const { context } = call
  const earlier = context.checkAnswer
  const checkThis = () => checkAnswer(call, before, judge)
  const check = () => {
    const checking = earlier?.()
    return checking ? checking.then(checkThis) : checkThis()
  }
  context.checkAnswer = check
}

/**
 * Refuses to pass an answer on if the same call would be stopped now: the caller may have received something while the question was open.
 * An approval that was given before counts for its own rule alone.
 */
function checkAnswer(
  { tool }: ToolCall,
  before: RuleVerdict,
  judge: () => RuleVerdict | Promise<RuleVerdict>,
): void | Promise<void> {
  const failed = (cause: unknown) => rulesFailed(`the answer was not passed on to ${tool.name}`, cause)
  const check = ({ decision, rule }: RuleVerdict): void => {
    if (decision === 'allow' || (decision === 'ask' && before.decision === 'ask' && isSameRule(rule, before.rule))) return
    throw new Refusal('forbidden', `The answer to the question of ${tool.name} was not sent to it${becauseOf(rule)}`)
  }
  const now = orFail(judge, failed)
  return now instanceof Promise ? now.then(check, (cause) => Promise.reject(failed(cause))) : check(now)
}

/** A file that was read again has rules of its own. */
const isSameRule = (one: RuleVerdict['rule'], other: RuleVerdict['rule']): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other)

/** The refusal, unless the caller does not even see the tool, which then does not exist for that caller. */
function unlessHidden(current: () => Rulebook, { tool, caller, server }: ToolCall, refusal: Refusal): Refusal {
  // If that cannot be evaluated either, the refusal stands.
  return orElse(() => current().hides(tool, caller, server), false) ? unknownTool(tool.name) : refusal
}

/** Takes the call from its allowances. It goes on with the arguments that were judged, even if they change while a store is asked. */
function takeFromLimits(call: ToolCall, { terms: rules }: RuleVerdict, ruleLimits: RuleLimits): ToolCall | Promise<ToolCall> {
  const failed = (thrown: unknown) => (thrown instanceof Refusal ? thrown : rulesFailed(notMade(call), thrown))
  try {
    const waiting = ruleLimits.admit(call, rules)
    if (!waiting) return call
    const refuse = (thrown: unknown) => Promise.reject(failed(thrown))
    return fixedDuring(call, waiting).then(([fixed]) => fixed, refuse)
  } catch (thrown) {
    throw failed(thrown)
  }
}

async function requestApproval(call: ToolCall, ask: RulesOptions['ask'], next: Next): Promise<ToolResult> {
  const taken = markAsked(call)
  if (ask === 'later') return next(call)
  if (!ask?.call) throw noApprover(call)
  return ask.call(call, (passed) => (taken() ? next(passed) : Promise.reject(noApprover(call))))
}

function redactedArguments(current: () => Rulebook, call: ToolCall): JsonObject {
  try {
    const book = current()
    const paths = [...(book.set.redact ?? []), ...book.concerning(call).flatMap(({ redact = [] }) => redact)]
    return frozenCopy(withoutPaths(call.arguments, paths))
  } catch {
    return redactAll(call.arguments)
  }
}

const deniedByRule = ({ tool }: ToolCall, { rule }: RuleVerdict): Refusal =>
  new Refusal('forbidden', `This call to ${tool.name} is not allowed${becauseOf(rule)}`)

const stoppedByChange = (call: ToolCall, verdict: RuleVerdict): Refusal =>
  verdict.decision === 'deny'
    ? deniedByRule(call, verdict)
    : new Refusal('not-approved', `The rules have changed, and now ask about this call to ${call.tool.name}. Call it again`)

const becauseOf = (rule: Rule | undefined): string => (rule?.because ? `: ${rule.because}` : '')

const notMade = ({ tool }: ToolCall) => `the call to ${tool.name} was not made`

const rulesFailed = (so: string, cause: unknown): Refusal =>
  new Refusal('forbidden', `The rules could not be evaluated, so ${so}.`, { cause })

const noApprover = ({ tool }: ToolCall): Refusal =>
  new Refusal('not-approved', `The call to ${tool.name} needs approval, but no approver is set up for it`)
