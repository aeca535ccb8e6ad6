// Questions a tool puts to the other side while it runs: to the person (a form, a page to visit), to the model, for the roots.
import type { Json, JsonObject } from '../json.js'
import { fault } from './fault.js'
import { ToolError } from './result.js'
import type { OutputOf, StandardSchema } from './standard-schema.js'

export type Root = { uri: string; name?: string }
export type Role = 'user' | 'assistant'
export type SamplingMessage = { role: Role; content: JsonObject | JsonObject[] }
/** What the model is asked; see `sampling/createMessage`. */
export type SamplingRequest = {
  messages: SamplingMessage[]
  maxTokens: number
  systemPrompt?: string
  tools?: JsonObject[]
  toolChoice?: JsonObject
} & { [more: string]: unknown }
export type SamplingResult = { role: Role; content: JsonObject | JsonObject[]; model: string; stopReason?: string }

export type FormAsk<T = unknown> = {
  readonly kind: 'form'
  readonly message: string
  readonly schema: StandardSchema<unknown, T>
  readonly optional?: boolean
}
export type UrlAsk = { readonly kind: 'url'; readonly message: string; readonly url: string; readonly optional?: boolean }
export type ModelAsk = { readonly kind: 'model'; readonly request: SamplingRequest }
export type RootsAsk = { readonly kind: 'roots' }
export type Ask = FormAsk | UrlAsk | ModelAsk | RootsAsk

/** What the answer to a question is, once the other side has agreed to give one. */
export type AnswerTo<A> = A extends { kind: 'form'; schema: infer S }
  ? OutputOf<S>
  : A extends { kind: 'url' }
    ? true
    : A extends { kind: 'model' }
      ? SamplingResult
      : A extends { kind: 'roots' }
        ? Root[]
        : never

type FormWith<S> = { readonly kind: 'form'; readonly message: string; readonly schema: S; readonly optional?: boolean }

/** Asks the person to fill in a form. */
export function ask<S extends StandardSchema>(message: string, schema: S, options: { optional?: boolean } = {}): FormWith<S> {
  return { kind: 'form', message, schema, ...options }
}

/** Asks the person to visit a page, for what must not pass through the client: passwords, keys, payments. */
ask.url = (message: string, url: string): UrlAsk => ({ kind: 'url', message, url })

/** @deprecated Sampling is kept for clients that still offer it. Asks the client's model. */
ask.model = (request: SamplingRequest): ModelAsk => ({ kind: 'model', request })

/** @deprecated Roots are kept for clients that still offer them. Asks which folders the person has opened. */
ask.roots = (): RootsAsk => ({ kind: 'roots' })

/** The person said no, or closed the question. Ends the call as a failed one unless the handler catches it. */
export class Declined extends ToolError {
  override name = 'Declined'
  readonly action: 'decline' | 'cancel'

  constructor(action: 'decline' | 'cancel', message: string) {
    super(`The user ${action === 'decline' ? 'declined' : 'did not answer'}: ${message}`)
    this.action = action
  }
}

/** The raw form of asking: ends this round with questions (and a state of your own), to be run again with the responses in `ctx.resumed`. */
export class InputRequired {
  readonly asks: { readonly [key: string]: Ask }
  readonly state: Json | undefined

  constructor(asks: { readonly [key: string]: Ask }, state?: Json) {
    if (Object.keys(asks).length === 0 && state === undefined)
      throw fault('inputRequired needs at least one question or a state; with neither the client would come back unchanged')
    this.asks = asks
    this.state = state
  }
}

export const inputRequired = (asks: { readonly [key: string]: Ask }, state?: Json): InputRequired =>
  new InputRequired(asks, state)
