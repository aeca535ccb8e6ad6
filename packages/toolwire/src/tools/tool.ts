import type { JsonObject } from '../json.js'
import type { AnswerTo, Ask, InputRequired } from './ask.js'
import type { Caller } from './caller.js'
import type { Content, Icon } from './content.js'
import type { Context } from './context.js'
import type { RelayDefinition } from './relayed-tool.js'
import type { Reply } from './result.js'
import type { InputOf, OutputOf, StandardSchema } from './standard-schema.js'

/** Claims about the effects of a tool. A client trusts them only from a trusted server. */
export type Hints = { readOnly?: boolean; destructive?: boolean; idempotent?: boolean; openWorld?: boolean }
/** A rate limit: calls per period. */
export type Limit = {
  calls: number
  per: 'second' | 'minute' | 'hour' | 'day'
  /** Calls allowed at once; `calls` by default. */
  burst?: number
}
export type LongRunning = 'optional' | 'required'

export type AskDefinitions<In = never> = { readonly [key: string]: Ask | ((input: In) => Ask) }
type AnswersTo<A> = { readonly [K in keyof A]: AnswerTo<A[K] extends (input: never) => infer R ? R : A[K]> }

/** The result type of `run`: the declared output or, without one, a string or content blocks; or a `reply.*` that fits. */
type Returns<O> = O extends StandardSchema
  ? InputOf<O> | Reply<InputOf<O>> | InputRequired
  : string | Content | readonly Content[] | Reply<unknown> | InputRequired
type Awaitable<T> = T | Promise<T>

/** The definition of a tool; only `run` is required. */
export type ToolDefinition<I, O, A> = {
  title?: string
  /** For the model: the purpose of the tool and when to use it. */
  description?: string
  icons?: readonly Icon[]
  hints?: Hints
  _meta?: JsonObject
  /** The schema of the arguments; without one, the tool takes none. */
  input?: I
  /** The schema of the structured result; with one, `run` must return such a result. */
  output?: O
  /** Scopes that a caller needs to see and call the tool. */
  scopes?: readonly string[]
  /** The rate limit for each caller. */
  limit?: Limit
  /** Timeout in milliseconds; 60,000 by default. */
  timeout?: number
  /** Labels for policies. */
  tags?: readonly string[]
  /** The call may take long: a client with task support polls it as a task; `required` refuses clients without. */
  longRunning?: LongRunning
  /** Questions that must be answered before `run` starts. */
  asks?: A & AskDefinitions<OutputOf<I>>
  run: (input: OutputOf<I>, ctx: Context<AnswersTo<A>>) => Awaitable<Returns<O>>
}

/** A tool as a value; a server gives it its name. */
export interface Tool<I = unknown, O = unknown> extends AnyTool {
  readonly '~tool': { readonly input: I; readonly output: O }
}

/** A tool of any types. A parameter of this type, rather than `Tool`, lets the types of an inline `tool()` be inferred. */
export interface AnyTool {
  readonly definition: AnyToolDefinition
}

/** A definition without its static types. Input is validated before `run`. */
export type AnyToolDefinition = Omit<
  ToolDefinition<StandardSchema, StandardSchema, AskDefinitions>,
  'run' | 'asks' | 'input' | 'output'
> &
  Pick<RelayDefinition, 'server' | 'serverIdentity' | 'ownName' | 'shadowed' | 'fixedArguments'> & {
    input?: StandardSchema
    output?: StandardSchema
    asks?: { readonly [key: string]: Ask | ((input: unknown) => Ask) }
    /** The definition of a tool of another server. It is listed like this, and its results are passed on unchanged. */
    relayed?: ListedTool
    run: (input: unknown, ctx: Context<never>) => unknown
  }

/** The input of a tool that takes no arguments. */
export type NoInput = StandardSchema<Record<string, never>, Record<string, never>>

/** The listed fields of a tool, in the widest revision. */
export type ListedTool = {
  name: string
  title?: string
  description?: string
  icons?: readonly Icon[]
  inputSchema: JsonObject
  outputSchema?: JsonObject | boolean
  annotations?: JsonObject
  taskSupport?: LongRunning
  _meta?: JsonObject
}

export type ValueFinding = { readonly path: string; readonly message: string }
export type CheckedValue = { value: unknown; issues?: undefined } | { value?: undefined; issues: readonly ValueFinding[] }
type ValueCheck = (value: unknown) => CheckedValue | Promise<CheckedValue>

/** A named tool that is ready to run: its schemas are compiled and its definition is checked. */
export type ReadyTool = {
  readonly name: string
  readonly listed: ListedTool
  readonly definition: AnyToolDefinition
  readonly checkInput: ValueCheck
  readonly checkOutput: ValueCheck | undefined
}

/** A tool call on its way through the policies to its handler; `input` is the validated form of the arguments. */
export type ToolCall = {
  readonly tool: ReadyTool
  /** The local name of the tool's server; undefined if this server runs the tool itself. */
  readonly server?: string
  readonly arguments: JsonObject
  readonly input: unknown
  readonly caller: Caller
  readonly context: CallContext
}

/** The context of a call, with the members that policies use. */
export type CallContext = Context<never> & {
  /** Aborts the signal of the handler. */
  abort(reason: unknown): void
  /** Sets the `_meta` of the request to another server. */
  carry?(meta: JsonObject): void
  /** No connection stays open for this call, so silence costs nothing. */
  readonly patient: boolean
  /** Milliseconds that the call spent in the queue; they count towards its timeout. */
  readonly waitedMs?: number
  /** This is a later round of a call that was admitted in an earlier one. */
  readonly continued: boolean
  /** Names of the approval policies that the call has entered, one entry for each pass. */
  passes?: string[] | undefined
  /** The arguments that were parsed from the request. No other code has a reference to them before the policies do. */
  readonly receivedArguments?: JsonObject | undefined
  /** Calls back once the call sends nothing more, at once if it is over already. Absent if nothing follows the result. */
  onOver?(listener: () => void): void
  /** Milliseconds for which a client may still fetch the outcome. */
  readonly keptMs?: number
  /** Throws if the answer to a question may no longer go to the tool, because its caller has received something in the meantime. */
  checkAnswer?: (() => void | Promise<void>) | undefined
  recheck?: Context['recheck']
  /** Short version of the rules that decided the call, for its audit record. */
  policyVersion?: string | undefined
  /** Id of the standing approval that allowed the call, for its audit record. */
  grant?: string | undefined
  /** Receives signs of life: progress, and when the call starts or stops waiting for an answer. */
  clock: { heard(what: 'progress' | 'asking' | 'answered'): void } | undefined
}
