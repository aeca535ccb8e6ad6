import { canonicalJson, type JsonObject } from '../../json.js'
import type { Caller } from '../../tools/caller.js'
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

type Known = { readonly about: ToolFacts; readonly steps: readonly RuleStep[] }

/** What rules leave open. */
export type RulebookOptions = {
  /** Calls that no rule and no default decides about, to tools of which an untrusted server says that they only read. */
  readonly readOnlyClaims?: ReadOnlyClaims
}

/** They run, or wait for a person as all others do. */
export type ReadOnlyClaims = 'run' | 'wait'

/**
 * A set of rules made ready. What depends on the tool alone is found out once for each tool.
 *
 * @example
 * ```ts
 * const book = new Rulebook(defineRules({ rules: [], otherwise: 'ask' }))
 * ```
 */
export class Rulebook {
  readonly set: RuleSet
  readonly rules: readonly CompiledRule[]
  /** Whether it depends on callers what is hidden from them. */
  readonly tellsApart: boolean
  readonly #claimsRun: boolean
  readonly #labels: readonly ReturnType<typeof compileLabel>[]
  #version: string | undefined
  #shortVersion: string | undefined
  readonly #known = new WeakMap<ReadyTool, Map<string | undefined, Known>>()

  constructor(set: RuleSet, { readOnlyClaims = 'wait' }: RulebookOptions = {}) {
    checkRuleSet(set)
    this.set = set
    this.#claimsRun = readOnlyClaims === 'run' && set.default === undefined
    this.rules = set.rules.map((rule, index) => compileRule(rule, `/rules/${index}`))
    this.#labels = (set.labels ?? []).map((label, index) => compileLabel(label, `/labels/${index}`))
    this.tellsApart = this.rules.some(({ decides }) => decides.caller !== undefined)
  }

  /** A digest: two sets that say the same have the same. */
  get version(): string {
    this.#version ??= sha256(canonicalJson(this.set as object as JsonObject)) // a set is JSON
    return this.#version
  }

  /** Enough of it to tell apart the rules of one gateway, for the records of calls. */
  get shortVersion(): string {
    this.#shortVersion ??= this.version.slice(0, 12)
    return this.#shortVersion
  }

  /** Throws where the rules cannot tell. */
  judge(call: ToolCall, received: HasReceived = nothingReceived): RuleVerdict {
    const { about, steps } = this.#about(call.tool, call.server)
    return this.decide(steps, { about, caller: call.caller, arguments: call.arguments, received })
  }

  /** The labels that the result of the call may carry. Throws where the rules cannot tell. */
  labelsOf(call: ToolCall, received: HasReceived): readonly ResultLabel[] {
    if (this.#labels.length === 0) return []
    const { about } = this.#about(call.tool, call.server)
    const facts = { about, caller: call.caller, arguments: call.arguments, received }
    return this.#labels.flatMap(({ label, fits: condition }) => {
      const rest = callConditionOf(condition, about)
      return rest && conditionHolds(rest, facts) ? [label] : []
    })
  }

  /**
   * What holds for resources and prompts of a server: they have no names of tools, no hints and no arguments, so only rules and
   * labels that ask for none of these are about them. Of rules, the first that matches decides.
   */
  judgeServer(
    server: string,
    caller: Caller,
    received: HasReceived,
  ): { denied: Rule | undefined; labels: readonly ResultLabel[] } {
    const facts = { ...writtenFacts({ server, tool: '' }), caller, received }
    const holds = (condition: CompiledRule['decides'], when: RuleCondition | undefined) =>
      isAboutServers(when) && (condition.tool?.holds(facts.about) ?? true) && conditionHolds(condition, facts)
    const decider = this.rules.find(({ rule, decides }) => holds(decides, rule.when))?.rule
    const labels = this.#labels.filter(({ label, fits: condition }) => holds(condition, label.when)).map(({ label }) => label)
    return { denied: decider?.decision === 'deny' ? decider : undefined, labels }
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

  /** What becomes of calls that no rule matches. */
  fallback(about: ToolFacts): Decision {
    return this.set.default ?? (about.hints.readOnly || this.reliesOnClaim(about) ? 'allow' : 'ask')
  }

  /** Whether calls that no rule matches are allowed for no other reason than what an untrusted server says of the tool. */
  reliesOnClaim(about: ToolFacts): boolean {
    return this.#claimsRun && !about.hints.readOnly && claimsToOnlyRead(about.claims)
  }

  /** The rules that could matter to calls of the tool. */
  concerning(call: ToolCall): readonly Rule[] {
    return this.#about(call.tool, call.server).steps.map(({ rule }) => rule)
  }

  #about(tool: ReadyTool, server: string | undefined): Known {
    const places = this.#known.get(tool) ?? new Map<string | undefined, Known>()
    const known = places.get(server)
    if (known) return known
    const about = toolFacts(tool, server)
    const fresh = { about, steps: this.stepsFor(about) }
    this.#known.set(tool, places.set(server, fresh))
    return fresh
  }
}

const isAboutServers = ({ tool, hints, tags, arguments: args, closed, call }: RuleCondition = {}): boolean =>
  [tool, hints, tags, args, closed, call].every((part) => part === undefined)

function verdictOf(decision: Decision, rule: Rule | undefined, caution: Rule | undefined): RuleVerdict {
  if (!caution || decision === 'deny') return { decision, rule, terms: rule ? [rule] : [] }
  return { decision: 'ask', rule: decision === 'ask' ? rule : caution, terms: rule ? [caution, rule] : [caution] }
}

/** Where the rules in force come from; they may change. */
export type RulesSource = { readonly current: Rulebook | undefined }

/** Rules as a value, made ready, or from somewhere else. */
export type Rules = RuleSet | Rulebook | RulesSource

/** Gives the rules in force each time; a set that is a value is refused here if it cannot be used. */
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
