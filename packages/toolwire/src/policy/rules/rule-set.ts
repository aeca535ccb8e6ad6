import type { Json, JsonObject } from '../../json.js'
import type { Hints, Limit } from '../../tools/tool.js'

/** What becomes of a call: it goes on, it is refused, or a person is asked. */
export type Decision = 'allow' | 'deny' | 'ask'

/** A glob (`*` any characters, `?` one), several of which one must fit, or a JSON Schema of the name. */
export type NameCondition = string | readonly string[] | JsonObject

/** The callers a rule is about; a glob or several stand for `id`. */
export type CallerCondition =
  | string
  | readonly string[]
  | {
      readonly id?: NameCondition
      /** Scopes the caller must all hold. */
      readonly scopes?: readonly string[]
      /** Scopes of which the caller holds none. */
      readonly lacks?: readonly string[]
      readonly anonymous?: boolean
    }

/** Keywords of JSON Schema that may stand in the short form of an argument; what goes beyond belongs in `call`. */
export type ArgumentSchema = {
  readonly [keyword: string]: Json | readonly Json[] | ArgumentSchema | readonly ArgumentSchema[] | undefined
  /** Folders that the path, or each path of a list, lies in, however it is spelled. */
  readonly under?: string | readonly string[]
  /** Folders that the path, or each path of a list, lies outside of. */
  readonly outside?: string | readonly string[]
  /** A text with `*` for any characters and `?` for one. */
  readonly glob?: string
  /** The rule also matches where the argument is absent. */
  readonly optional?: boolean
}

/** One argument: exactly this value, one of these, or what a schema says. */
export type ArgumentCondition = string | number | boolean | null | readonly (string | number | boolean | null)[] | ArgumentSchema

/** Which calls a rule is about; all that is said must hold. */
export type RuleCondition = {
  /** What this side calls the server; calls that are served right here have none. */
  readonly server?: NameCondition
  /** The name callers see. Beside `server`, that or the name by which the server knows the tool. */
  readonly tool?: NameCondition
  /** What is believed about the tool: the worst, where nothing is said. */
  readonly hints?: Hints
  /** Marks that the tool must all carry. */
  readonly tags?: readonly string[]
  readonly caller?: CallerCondition
  /** The caller has received a result with this label, or with one of these. */
  readonly received?: string | readonly string[]
  readonly arguments?: { readonly [name: string]: ArgumentCondition }
  /** There are no arguments beside those named above. */
  readonly closed?: boolean
  /** A JSON Schema of the call as a whole: `{ server, tool, hints, tags, caller: { id, scopes, anonymous }, arguments }`. */
  readonly call?: JsonObject | boolean
}

/** What becomes of the calls that fit a condition. */
export type Rule = {
  readonly name: string
  /** Every call, if not said. */
  readonly when?: RuleCondition
  readonly decision: Decision
  /** Shown to the caller that is refused. */
  readonly because?: string
  /** How often each caller may do this. */
  readonly limit?: Limit
  /** Milliseconds a call may take. */
  readonly timeout?: number
  /** Arguments that no log may show: names, or JSON pointers in which `*` stands for any member. */
  readonly redact?: readonly string[]
  /** What the rule names may be missing: a rule that is there as a precaution. */
  readonly optional?: boolean
}

/**
 * Labels that the results of these calls carry. A caller keeps the label from then on, because a model may copy from a result
 * into any later call.
 */
export type ResultLabel = {
  readonly name: string
  /** The calls whose results carry it: all that may fit. One that says no more than a server is also about its resources and prompts. */
  readonly when: RuleCondition
  /** For how long a caller is taken to know it: a day, if not said. */
  readonly for?: 'minute' | 'hour' | 'day'
  /** What it names may be missing: a label that is there as a precaution. */
  readonly optional?: boolean
}

/** A call as one would write it down. What is not said of it is taken to be the worst. */
export type WrittenCall = {
  readonly server?: string
  /** The name callers see; beside a server, its own name will do where it is known which tools there are. */
  readonly tool: string
  /** What its server calls the tool, where that is another name. */
  readonly ownName?: string
  readonly hints?: Hints
  readonly tags?: readonly string[]
  /** An id, or more. */
  readonly caller?: string | { readonly id: string; readonly scopes?: readonly string[]; readonly anonymous?: boolean }
  readonly arguments?: JsonObject
  /** The labels that the caller has received before. */
  readonly received?: readonly string[]
}

/** A call, and what the rules should make of it. */
export type RuleCase = {
  readonly name?: string
  readonly call: WrittenCall
  readonly expect: Decision
  /** Name of the rule that should decide; null for the default. */
  readonly rule?: string | null
}

/** Rules in the order in which they are tried: the first that matches decides. */
export type RuleSet = {
  readonly $schema?: string
  readonly version?: 1
  /** The decision for calls that no rule matches. By default, reading is allowed and changes wait for approval. */
  readonly default?: Decision
  /** Arguments that no log may show, whichever tool they are for. */
  readonly redact?: readonly string[]
  /** Labels that results carry, for rules that say `received`. */
  readonly labels?: readonly ResultLabel[]
  readonly rules: readonly Rule[]
  readonly cases?: readonly RuleCase[]
}

/** The names of a set's rules, where the set was written in TypeScript. */
export type RuleName<S> = S extends { readonly rules: readonly (infer R)[] }
  ? R extends { readonly name: infer N extends string }
    ? N
    : string
  : string

/**
 * Checks the types of rules while they are written, and keeps their names.
 *
 * @example
 * ```ts
 * const set = defineRules({ rules: [{ name: 'reads', when: { hints: { readOnly: true } }, decision: 'allow' }], otherwise: 'ask' })
 * ```
 */
export const defineRules = <const S extends RuleSet>(set: S): S => set
