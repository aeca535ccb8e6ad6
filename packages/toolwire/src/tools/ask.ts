// Questions that a running tool asks: the person (a form, a page to visit), the client's model, or the client (its roots).

import type { Json, JsonObject } from '../json.js'
import { definitionError } from './checks/definition-error.js'
import { checkOptions, optionsOf } from './checks/known-options.js'
import { someFunction, trueOrFalse } from './checks/option-values.js'
import { ToolError } from './result.js'
import type { OutputOf, StandardSchema } from './standard-schema.js'

/** A folder that the person has opened. */
export type Root = { uri: string; name?: string }
type Role = 'user' | 'assistant'
export type SamplingMessage = { role: Role; content: JsonObject | JsonObject[] }
/** A request to the client's model; see `sampling/createMessage`. */
type ModelRequest = {
  messages: { role: 'user' | 'assistant'; content: JsonObject | JsonObject[] }[]
  maxTokens: number
  systemPrompt?: string
  tools?: JsonObject[]
  toolChoice?: JsonObject
} & { [more: string]: unknown }
export type SamplingRequest = ModelRequest
export type SamplingResult = { role: Role; content: JsonObject | JsonObject[]; model: string; stopReason?: string }

export type FormAsk<T = unknown> = {
  readonly kind: 'form'
  readonly message: string
  readonly schema: StandardSchema<unknown, T>
  readonly optional?: boolean
}
// Private, so that declarations of programs spell out what `ask.url`, `ask.model` and `ask.roots` return.
type AskedUrl = {
  readonly kind: 'url'
  readonly message: string
  readonly url: string
  readonly optional?: boolean
  readonly until?: (signal: AbortSignal) => Promise<unknown>
}
/** Resolves when the person is done on the page. A handler may run again, so waiting twice must be safe. */
export type WaitUntil = (signal: AbortSignal) => Promise<unknown>
type AskedModel = { readonly kind: 'model'; readonly request: ModelRequest }
type AskedRoots = { readonly kind: 'roots' }
export type UrlAsk = AskedUrl
export type ModelAsk = AskedModel
export type RootsAsk = AskedRoots
export type Ask = FormAsk | UrlAsk | ModelAsk | RootsAsk

export type AnswerTo<A> = A extends { kind: 'form'; schema: infer S }
  ? OutputOf<S> | (A extends { optional: true } ? undefined : never)
  : A extends { kind: 'url' }
    ? true
    : A extends { kind: 'model' }
      ? SamplingResult
      : A extends { kind: 'roots' }
        ? Root[]
        : never

type FormWith<S, Optional> = { readonly kind: 'form'; readonly message: string; readonly schema: S; readonly optional: Optional }

const formOptions = optionsOf<{ optional?: boolean }>()({ optional: trueOrFalse })
const urlOptions = optionsOf<{ optional?: boolean; until?: WaitUntil }>()({ optional: trueOrFalse, until: someFunction })

/**
 * Asks the person to fill in a form. An optional form has no answer if it is declined or cannot be shown.
 *
 * @example
 * ```ts
 * const name = ask('What is your name?', jsonSchema<{ name: string }>({ type: 'object' }), { optional: true })
 * ```
 */
export function ask<S extends StandardSchema, const Optional extends boolean = false>(
  message: string,
  schema: S,
  options: { optional?: Optional } = {},
): FormWith<S, Optional> {
  checkOptions('ask()', options, formOptions)
  return { kind: 'form', message, schema, optional: (options.optional ?? false) as Optional } // false is the default of the type, too
}

/**
 * Asks the person to visit a page, for data that must not pass through the client: passwords, keys, payments. The answer says only
 * that the person agreed to go; with `until`, the call continues when they are done there.
 */
ask.url = (message: string, url: string, options: { optional?: boolean; until?: WaitUntil } = {}): AskedUrl => {
  checkOptions('ask.url()', options, urlOptions)
  return { kind: 'url', message, url, ...options }
}

/** @deprecated Sampling is kept for clients that still offer it. Asks the client's model. */
ask.model = (request: SamplingRequest): AskedModel => ({ kind: 'model', request })

/** @deprecated Roots are kept for clients that still offer them. Asks which folders the person has opened. */
ask.roots = (): AskedRoots => ({ kind: 'roots' })

/**
 * The person declined or closed the question. The call fails unless the handler catches it.
 *
 * @example
 * ```ts
 * const isRefusal = (thrown: unknown) => thrown instanceof Declined && thrown.action === 'decline'
 * ```
 */
export class Declined extends ToolError {
  override name = 'Declined'
  readonly action: 'decline' | 'cancel'

  constructor(action: 'decline' | 'cancel', message: string) {
    super(`The user ${action === 'decline' ? 'declined' : 'did not answer'}: ${message}`)
    this.action = action
  }
}

const nothingRequired =
  'inputRequired needs at least one question or a state; without both, the client would repeat the same request'

/**
 * The raw form of asking: ends this round with questions (and a state of your own); the handler runs again with `ctx.resumed`.
 *
 * @example
 * ```ts
 * const isRound = (result: unknown) => result instanceof InputRequired
 * ```
 */
export class InputRequired {
  readonly asks: { readonly [key: string]: Ask }
  readonly state: Json | undefined

  constructor(asks: { readonly [key: string]: Ask }, state?: Json) {
    if (Object.keys(asks).length === 0 && state === undefined) throw definitionError(nothingRequired)
    this.asks = asks
    this.state = state
  }
}

/**
 * Ends this round of a call with questions, a state, or both; the handler runs again with the responses in `ctx.resumed`.
 *
 * @example
 * ```ts
 * const greet = tool({ description: 'Greets', run: () => inputRequired({ page: ask.url('Sign in', 'https://shop.example/login') }) })
 * ```
 */
export const inputRequired = (asks: { readonly [key: string]: Ask }, state?: Json): InputRequired =>
  new InputRequired(asks, state)
