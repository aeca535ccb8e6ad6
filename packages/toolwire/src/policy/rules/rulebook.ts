import { canonicalJson, type JsonObject } from '../../json.js'
import type { Caller } from '../../tools/caller.js'
import { checkOptions, optionsOf } from '../../tools/checks/known-options.js'
import { oneOf } from '../../tools/checks/option-values.js'
import { claimsToOnlyRead } from '../../tools/hints.js'
import type { ReadyTool, ToolCall } from '../../tools/tool.js'
import { sha256 } from '../hash/hashing.js'
import {
  type CompiledRule,
  callConditionOf,
  callerConditionHolds,
  compileLabel,
  compileRule,
  conditionHolds,
  dependsOnCall,
  type RuleStep,
  type RuleVerdict,
  stepsFor,
} from './compiled-rule.js'
import { withinOneDecision } from './conditions/condition-test.js'
import { type CallFacts, type HasReceived, nothingReceived, type ToolFacts, toolFacts, writtenFacts } from './facts.js'
import type { Decision, ResultLabel, Rule, RuleCondition, RuleSet } from './rule-set.js'
import { checkRuleSet } from './rule-set-schema.js'

type Known = {
  readonly about: ToolFacts
  readonly steps: readonly RuleStep[]
  /** The labels that matter to calls of the tool; none for most tools. */
  readonly labels: readonly string[]
}

export type RulebookOptions = {
  /** Decision about calls that no rule and no default decides, to tools that an untrusted server claims to be read-only. */
  readonly readOnlyClaims?: ReadOnlyClaims
}

/** Calls that rely on a server's claim run, or wait for a person as all others do. */
export type ReadOnlyClaims = 'run' | 'wait'

const known = optionsOf<RulebookOptions>()({ readOnlyClaims: oneOf('run', 'wait') })

/**
 * A compiled set of rules. Results that depend on the tool alone are computed once for each tool.
 *
 * @example
 * ```ts
 * const book = new Rulebook(defineRules({ rules: [], default: 'ask' }))
 * ```
 */
export class Rulebook {
  readonly set: RuleSet
  readonly rules: readonly CompiledRule[]
  /** True if different tools may be hidden from different callers. */
  readonly tellsApart: boolean
  /** True if a rule depends on what the caller has received. */
  readonly isAboutFlows: boolean
  readonly #claimsRun: boolean
  readonly #labels: readonly ReturnType<typeof compileLabel>[]
  #version: string | undefined
  #shortVersion: string | undefined
  readonly #known = new WeakMap<ReadyTool, Map<string | undefined, Known>>()

  constructor(set: RuleSet, options: RulebookOptions = {}) {
    checkOptions('Rulebook', options, known)
    checkRuleSet(set)
    this.set = set
    this.#claimsRun = options.readOnlyClaims === 'run' && set.default === undefined
    this.rules = set.rules.map((rule, index) => compileRule(rule, `/rules/${index}`))
    this.#labels = (set.labels ?? []).map((label, index) => compileLabel(label, `/labels/${index}`))
    this.isAboutFlows = this.rules.some(({ decides }) => decides.received !== undefined)
    this.tellsApart = this.rules.some(({ decides }) => decides.caller !== undefined)
  }

  /** Digest of the rules. Equal sets have equal digests. */
  get version(): string {
    this.#version ??= sha256(canonicalJson(this.set as object as JsonObject)) // a set is JSON
    return this.#version
  }

  /** The first digits of the version, for audit records. They are enough to tell apart the rules of one gateway. */
  get shortVersion(): string {
    this.#shortVersion ??= this.version.slice(0, 12)
    return this.#shortVersion
  }

  /** Throws if the rules cannot be evaluated. */
  judge(call: ToolCall, received: HasReceived = nothingReceived): RuleVerdict {
    const { about, steps } = this.#about(call.tool, call.server)
    return this.decide(steps, { about, caller: call.caller, arguments: call.arguments, received })
  }

  /** The labels that matter to the call: the decision, or the labels of its result, depend on whether its caller has received them. */
  labelsThatMatter({ tool, server }: ToolCall): readonly string[] {
    return this.#about(tool, server).labels
  }

  /** The labels that matter to resources and prompts of a server. */
  labelsThatMatterTo(server: string): readonly string[] {
    const { about } = writtenFacts({ server, tool: '' })
    const all = [
      ...this.rules.map(({ rule, decides, cautions = decides }) => ({ when: rule.when, fits: cautions })),
      ...this.#labels.map(({ label, fits }) => ({ when: label.when, fits })),
    ]
    return receivedIn(
      all.filter(({ when, fits }) => isAboutServers(when) && (fits.tool?.holds(about) ?? true)).map(({ when }) => when),
    )
  }

  /** The labels that the result of the call may carry. Throws if the rules cannot be evaluated. */
  labelsOf(call: ToolCall, received: HasReceived): readonly ResultLabel[] {
    if (this.#labels.length === 0) return []
    const { about } = this.#about(call.tool, call.server)
    const facts = { about, caller: call.caller, arguments: call.arguments, received }
    return withinOneDecision(() =>
      this.#labels.flatMap(({ label, fits: condition }) => {
        const rest = callConditionOf(condition, about)
        return rest && conditionHolds(rest, facts) ? [label] : []
      }),
    )
  }

  /**
   * The decision about resources and prompts of a server. These have no tool names, hints or arguments, so only rules and labels without
   * such conditions are about them. The first rule that matches decides. A rule that asks about what the caller has received denies, because
   * nobody can be asked about a read.
   */
  judgeServer(
    server: string,
    caller: Caller,
    received: HasReceived,
  ): { denied: Rule | undefined; labels: readonly ResultLabel[] } {
    const facts = { ...writtenFacts({ server, tool: '' }), caller, received }
    const holds = (condition: CompiledRule['decides'], when: RuleCondition | undefined) =>
      isAboutServers(when) && (condition.tool?.holds(facts.about) ?? true) && conditionHolds(condition, facts)
    const decider = this.rules.find(({ rule, decides, cautions = decides }) =>
      holds(rule.when?.received === undefined ? decides : cautions, rule.when),
    )?.rule
    const labels = this.#labels.filter(({ label, fits: condition }) => holds(condition, label.when)).map(({ label }) => label)
    const isDenied = decider?.decision === 'deny' || (decider?.decision === 'ask' && decider.when?.received !== undefined)
    return { denied: isDenied ? decider : undefined, labels }
  }

  /** Are all resources and prompts of the server denied to this caller, whatever the caller has received? */
  hidesServer(server: string, caller: Caller): boolean {
    const { about } = writtenFacts({ server, tool: '' })
    const decider = this.rules.find(
      ({ rule: { when, decision }, decides }) =>
        isAboutServers(when) &&
        (decides.tool?.holds(about) ?? true) &&
        callerConditionHolds(decides, caller) &&
        // A rule about received labels may not match. Unless it allows, others after it may still deny.
        (decision === 'allow' || decides.received === undefined),
    )
    return decider?.rule.decision === 'deny'
  }

  decide(steps: readonly RuleStep[], facts: CallFacts): RuleVerdict {
    return withinOneDecision(() => {
      let caution: Rule | undefined
      for (const { rule, decides, cautions, verdict: ruleVerdict } of steps) {
        if (decides && conditionHolds(decides, facts)) return caution ? verdictOf(rule.decision, rule, caution) : ruleVerdict
        if (!caution && cautions && conditionHolds(cautions, facts)) caution = rule
      }
      const ruleVerdict = verdictOf(this.fallback(facts.about), undefined, caution)
      return ruleVerdict.decision === 'allow' && this.reliesOnClaim(facts.about) ? { ...ruleVerdict, byClaim: true } : ruleVerdict
    })
  }

  /** Is every call of this caller to the tool denied, with any arguments? */
  hides(tool: ReadyTool, caller: Caller, server?: string): boolean {
    const { about, steps } = this.#about(tool, server)
    return this.hidden(steps, about, caller)
  }

  hidden(steps: readonly RuleStep[], about: ToolFacts, caller: Caller): boolean {
    for (const { rule, decides } of steps) {
      if (!decides || !callerConditionHolds(decides, caller)) continue
      if (rule.decision !== 'deny') return false
      if (!dependsOnCall(decides)) return true
    }
    return this.fallback(about) === 'deny'
  }

  stepsFor(about: ToolFacts): readonly RuleStep[] {
    return stepsFor(this.rules, about)
  }

  /** The decision about calls that no rule matches. */
  fallback(about: ToolFacts): Decision {
    return this.set.default ?? (about.hints.readOnly || this.reliesOnClaim(about) ? 'allow' : 'ask')
  }

  /** True if calls that no rule matches are allowed only because of an untrusted server's claim about the tool. */
  reliesOnClaim(about: ToolFacts): boolean {
    return this.#claimsRun && !about.hints.readOnly && claimsToOnlyRead(about.claims)
  }

  /** The rules that may matter to calls of the tool. */
  concerning(call: ToolCall): readonly Rule[] {
    return this.#about(call.tool, call.server).steps.map(({ rule }) => rule)
  }

  #about(tool: ReadyTool, server: string | undefined): Known {
    const places = this.#known.get(tool) ?? new Map<string | undefined, Known>()
    const known = places.get(server)
    if (known) return known
    const about = toolFacts(tool, server)
    const steps = this.stepsFor(about)
    const labels = this.#labels.filter(({ fits }) => callConditionOf(fits, about) !== undefined)
    const fresh = {
      about,
      steps,
      labels: receivedIn([...steps.map(({ rule }) => rule), ...labels.map(({ label }) => label)].map(({ when }) => when)),
    }
    this.#known.set(tool, places.set(server, fresh))
    return fresh
  }
}

const receivedIn = (conditions: readonly (RuleCondition | undefined)[]): readonly string[] => [
  ...new Set(conditions.flatMap((when) => when?.received ?? [])),
]

const isAboutServers = ({ tool, hints, tags, arguments: args, closed, call }: RuleCondition = {}): boolean =>
  [tool, hints, tags, args, closed, call].every((part) => part === undefined)

function verdictOf(decision: Decision, rule: Rule | undefined, caution: Rule | undefined): RuleVerdict {
  if (!caution || decision === 'deny') return { decision, rule, terms: rule ? [rule] : [] }
  return { decision: 'ask', rule: decision === 'ask' ? rule : caution, terms: rule ? [caution, rule] : [caution] }
}

/** The source of the rules in force, which may change. */
export type RulesSource = { readonly current: Rulebook | undefined }

/** Rules as a value, compiled, or from a source. */
export type Rules = RuleSet | Rulebook | RulesSource

/** Returns a function for the rules in force. A set that is a value is refused here if it cannot be used. */
export function rulesInForce(rules: Rules): () => Rulebook {
  if (rules instanceof Rulebook) return () => rules
  if (!('current' in rules)) {
    const book = new Rulebook(rules)
    return () => book
  }
  return () => {
    const { current } = rules
    if (!(current instanceof Rulebook)) throw new Error('There are no rules in force')
    return current
  }
}
