import type { Json, JsonObject } from '../../json.js'
import type { Hints, Limit } from '../../tools/tool.js'

/** Decision about a call: it is made, it is refused, or a person is asked. */
export type Decision = 'allow' | 'deny' | 'ask'

/** A glob (`*` any characters, `?` one), a list of globs of which one must fit, or a JSON Schema of the name. */
export type NameCondition = string | readonly string[] | JsonObject

/** The callers that a rule is about. A glob or a list of globs stands for `id`. */
export type CallerCondition =
  | string
  | readonly string[]
  | {
      readonly id?: NameCondition
      /** Scopes that the caller must all hold. */
      readonly scopes?: readonly string[]
      /** Scopes of which the caller must hold none. */
      readonly lacks?: readonly string[]
      readonly anonymous?: boolean
    }

/** Keywords of JSON Schema that are allowed in the short form of an argument. All others belong in `call`. */
export type ArgumentSchema = {
  readonly [keyword: string]: Json | readonly Json[] | ArgumentSchema | readonly ArgumentSchema[] | undefined
  /** Folders that the path, or each path of a list, must be in, however it is spelled. */
  readonly under?: string | readonly string[]
  /** Folders that the path, or each path of a list, must be outside of. */
  readonly outside?: string | readonly string[]
  /** A text with `*` for any characters and `?` for one. */
  readonly glob?: string
  /** The rule also matches where the argument is absent. */
  readonly optional?: boolean
}

/** One argument: exactly this value, one of these values, or a schema. */
export type ArgumentCondition = string | number | boolean | null | readonly (string | number | boolean | null)[] | ArgumentSchema

/** The calls that a rule is about. All parts must hold. */
export type RuleCondition = {
  /** This side's name for the server. Calls of tools that this side serves itself have none. */
  readonly server?: NameCondition
  /** The name that callers see. Beside `server`, the server's own name for the tool fits, too. */
  readonly tool?: NameCondition
  /** Hints that the tool must have. A hint that is missing in the tool counts as its worst case. */
  readonly hints?: Hints
  /** Tags that the tool must all have. */
  readonly tags?: readonly string[]
  readonly caller?: CallerCondition
  /** The caller has received a result with this label, or with one of these. */
  readonly received?: string | readonly string[]
  readonly arguments?: { readonly [name: string]: ArgumentCondition }
  /** True if there are no arguments besides those named above. */
  readonly closed?: boolean
  /** A JSON Schema of the call as a whole: `{ server, tool, hints, tags, caller: { id, scopes, anonymous }, arguments }`. */
  readonly call?: JsonObject | boolean
}

/** The decision about the calls that fit a condition. */
export type Rule<Name extends string = string> = {
  readonly name: Name
  /** Every call by default. */
  readonly when?: RuleCondition
  readonly decision: Decision
  /** Reason, shown to the caller that is refused. */
  readonly because?: string
  /** Rate limit for each caller. */
  readonly limit?: Limit
  /** Milliseconds a call may take. */
  readonly timeout?: number
  /** Arguments that no log may show: names, or JSON pointers in which `*` stands for any member. */
  readonly redact?: readonly string[]
  /** True if names in the rule may be missing, because the rule is a precaution. */
  readonly optional?: boolean
}

/** A label for results. A caller keeps the label of a received result, because a model may copy from it into any later call. */
export type ResultLabel = {
  readonly name: string
  /** The calls whose results may carry the label. Without conditions on tools and arguments, resources and prompts carry it, too. */
  readonly when: RuleCondition
  /** Period for which a caller keeps the label; a day by default. */
  readonly for?: 'minute' | 'hour' | 'day'
  /** True if names in the condition may be missing, because the label is a precaution. */
  readonly optional?: boolean
}

/** A call as a person would write it down. Missing facts count as the worst case. */
export type WrittenCall = {
  readonly server?: string
  /** The name that callers see. Beside a server, the tool's own name will do if the server's tools are known. */
  readonly tool: string
  /** The server's own name for the tool, if it is another one. */
  readonly ownName?: string
  readonly hints?: Hints
  readonly tags?: readonly string[]
  /** An id, or an object with more facts. */
  readonly caller?: string | { readonly id: string; readonly scopes?: readonly string[]; readonly anonymous?: boolean }
  readonly arguments?: JsonObject
  readonly received?: readonly string[]
}

/** A call, and the decision that the rules should make. */
export type RuleCase = {
  readonly name?: string
  readonly call: WrittenCall
  readonly expect: Decision
  /** Name of the rule that should decide; null for the default. */
  readonly rule?: string | null
}

/** Rules in the order in which they are tried: the first that matches decides. */
export type RuleSet<Name extends string = string> = {
  readonly $schema?: string
  readonly version?: 1
  /** The decision for calls that no rule matches. By default, reading is allowed and changes wait for approval. */
  readonly default?: Decision
  /** Arguments of any tool that no log may show. */
  readonly redact?: readonly string[]
  /** Labels that results carry, for rules that say `received`. */
  readonly labels?: readonly ResultLabel[]
  readonly rules: readonly Rule<Name>[]
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
 * const set = defineRules({ rules: [{ name: 'reads', when: { hints: { readOnly: true } }, decision: 'allow' }], default: 'ask' })
 * ```
 */
export const defineRules = <const Name extends string>(set: RuleSet<Name>): RuleSet<Name> => set
