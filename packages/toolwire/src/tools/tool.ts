import type { JsonObject } from '../json.js'
import type { AnswerTo, Ask, InputRequired } from './ask.js'
import type { Caller } from './caller.js'
import type { Content, Icon } from './content.js'
import type { Context } from './context.js'
import type { RelayDefinition } from './relayed-tool.js'
import type { Reply } from './result.js'
import type { InputOf, OutputOf, StandardSchema } from './standard-schema.js'

/** Claims about what a tool does. A client believes them only from a server it trusts. */
export type Hints = { readOnly?: boolean; destructive?: boolean; idempotent?: boolean; openWorld?: boolean }
/** How many calls in how much time. */
export type Limit = {
  calls: number
  per: 'second' | 'minute' | 'hour' | 'day'
  /** How many may come all at once; as many as `calls` if not said. */
  burst?: number
}
export type LongRunning = 'optional' | 'required'

export type AskDefinitions<In = never> = { readonly [key: string]: Ask | ((input: In) => Ask) }
type AnswersTo<A> = { readonly [K in keyof A]: AnswerTo<A[K] extends (input: never) => infer R ? R : A[K]> }

/** What `run` may return: the declared output, or without one a string or content blocks; or a `reply.*` that fits. */
type Returns<O> = O extends StandardSchema
  ? InputOf<O> | Reply<InputOf<O>> | InputRequired
  : string | Content | readonly Content[] | Reply<unknown> | InputRequired
type Awaitable<T> = T | Promise<T>

/** Everything that can be said about a tool; only `run` must be. */
export type ToolDefinition<I, O, A> = {
  title?: string
  /** For the model: what the tool does and when to use it. */
  description?: string
  icons?: readonly Icon[]
  hints?: Hints
  _meta?: JsonObject
  /** The arguments; without one the tool takes none. */
  input?: I
  /** The structured result; with one, `run` must return it. */
  output?: O
  /** Scopes a caller must hold to see and call the tool. */
  scopes?: readonly string[]
  /** How often one caller may call the tool. */
  limit?: Limit
  /** Milliseconds until the call is given up; 60,000 if not said. */
  timeout?: number
  /** Marks for policies to act on. */
  tags?: readonly string[]
  /** The call may take long: a client that can polls it as a task; `required` refuses clients that cannot. */
  longRunning?: LongRunning
  /** Questions that must be answered before `run` starts. */
  asks?: A & AskDefinitions<OutputOf<I>>
  run: (input: OutputOf<I>, ctx: Context<AnswersTo<A>>) => Awaitable<Returns<O>>
}

/** A tool as a value: it has no name and belongs to no server until one is given. */
export interface Tool<I = unknown, O = unknown> extends AnyTool {
  readonly '~tool': { readonly input: I; readonly output: O }
}

/** A tool of any types. A parameter of this type, rather than `Tool`, lets the types of an inline `tool()` be inferred. */
export interface AnyTool {
  readonly definition: AnyToolDefinition
}

/** A definition whose types have been forgotten; what runs it has checked the input first. */
export type AnyToolDefinition = Omit<
  ToolDefinition<StandardSchema, StandardSchema, AskDefinitions>,
  'run' | 'asks' | 'input' | 'output'
> &
  Pick<RelayDefinition, 'server' | 'serverIdentity' | 'ownName' | 'shadowed'> & {
    input?: StandardSchema
    output?: StandardSchema
    asks?: { readonly [key: string]: Ask | ((input: unknown) => Ask) }
    /** Set where the tool is another server's: how it is listed there, and what it gives is passed on as it comes. */
    relayed?: ListedTool
    run: (input: unknown, ctx: Context<never>) => unknown
  }

/** The input of a tool that takes no arguments. */
export type NoInput = StandardSchema<Record<string, never>, Record<string, never>>

/** The fields of a tool that a client may see, in the widest revision. */
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

/** One thing a schema found wrong with a value. */
export type ValueFinding = { readonly path: string; readonly message: string }
export type CheckedValue = { value: unknown; issues?: undefined } | { value?: undefined; issues: readonly ValueFinding[] }
type ValueCheck = (value: unknown) => CheckedValue | Promise<CheckedValue>

/** A tool that has a name and is ready to run: schemas compiled, definition checked. */
export type ReadyTool = {
  readonly name: string
  readonly listed: ListedTool
  readonly definition: AnyToolDefinition
  readonly checkInput: ValueCheck
  readonly checkOutput: ValueCheck | undefined
}

/** A call on its way through the policies to its handler; `input` is what validation has made of the arguments. */
export type ToolCall = {
  readonly tool: ReadyTool
  /** Where the tool lives: what this side calls the server. Undefined where the call is served right here. */
  readonly server?: string
  readonly arguments: JsonObject
  readonly input: unknown
  readonly caller: Caller
  readonly context: CallContext
}

/** The context while policies still handle it. */
export type CallContext = Context<never> & {
  /** Aborts the signal that the handler sees. */
  abort(reason: unknown): void
  /** Makes this the `_meta` that goes out with the call, where it goes to another server. */
  carry?(meta: JsonObject): void
  /** Nobody holds a connection open for this call, so its silence costs nothing. */
  readonly patient: boolean
  /** Milliseconds for which it waited for its turn already: they are part of its time. */
  readonly waitedMs?: number
  /** A later round of a call that was admitted in an earlier one. */
  readonly continued: boolean
  /** The policies that the call has gone through, of those that count how often. */
  passes?: string[] | undefined
  /** Short version of the rules that have decided on the call, for its record. */
  policyVersion?: string | undefined
  /** Told of what shows that the call is alive, or waits for someone else. */
  clock: { heard(what: 'progress' | 'asking' | 'answered'): void } | undefined
}
