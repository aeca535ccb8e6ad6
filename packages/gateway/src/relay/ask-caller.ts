// Passes a question of an upstream to the caller, in the form of the caller's revision.

import { Declined, type JsonObject, Refusal, RpcError, type StandardSchema, ToolError } from 'toolwire'
import { Suspension, type types } from 'toolwire/relay'

import { compile } from 'toolwire/schema'
import type { UpstreamQuestion } from '../upstreams/suspended-call.js'
import { quoteForm, quoteModelRequest, quoteQuestion } from './quote-question.js'
import type { QuestionOutcome } from './suspended-calls.js'

const internalError = -32603
/** Delay after a withdrawal, so that a Suspension comes first: it tells the caller to send another request. */
const withdrawalDelayMs = 10

/** Asks all questions concurrently, so that one result can contain all of them. Returns the reason if one could not be asked. */
export async function askAll(
  questions: readonly UpstreamQuestion[],
  ask: types.AskFunction,
  from: QuestionSource,
): Promise<Error | undefined> {
  const outcomes = await Promise.allSettled(questions.map((question) => askOne(question, ask, from)))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' && outcome.value ? [outcome.value] : []))[0]
}

/** The server that asks, and a wrapper that learns the outcome. */
export type QuestionSource = {
  readonly server: string
  readonly onQuestion: (question: UpstreamQuestion, put: () => Promise<QuestionOutcome>) => Promise<void>
}

/** Returns the reason if the caller could not be asked. Throws a Suspension if the answer will come with another request. */
async function askOne(question: UpstreamQuestion, ask: types.AskFunction, from: QuestionSource): Promise<Error | undefined> {
  const { server, onQuestion } = from
  try {
    await onQuestion(question, () =>
      Promise.race([askAndAnswer(question, ask, server).then(() => 'answered' as const), untilWithdrawn(question.closed)]),
    )
    return undefined
  } catch (thrown) {
    if (thrown instanceof Suspension) throw thrown
    if (thrown instanceof Declined) return passDecline(question, thrown)
    const why = thrown instanceof Error ? thrown : new Error(String(thrown))
    // A rule's reason is for the caller.
    const said = why.cause instanceof Refusal ? 'it is not allowed' : why.message
    question.refuse(new RpcError(internalError, `The question cannot be passed on: ${said}`))
    return why instanceof RpcError ? why : new ToolError(why.message)
  }
}

async function askAndAnswer(question: UpstreamQuestion, ask: types.AskFunction, server: string): Promise<void> {
  const { key } = question
  switch (question.kind) {
    case 'form': {
      const content = await ask(key, quoteQuestion(server, question.message), formOf(question.schema))
      return question.answer({ action: 'accept', content })
    }
    case 'page':
      return askToOpenPage({ ...question, message: quoteQuestion(server, question.message) }, ask)
    case 'model':
      // The client has validated the upstream's request, and the caller decides about the response.
      return question.answer(await askModel(key, quoteModelRequest(server, question.request), ask))
    case 'roots':
      return question.answer(await ask.roots(key))
  }
}

const askModel = async (key: string, request: JsonObject, ask: types.AskFunction): Promise<JsonObject> =>
  (await ask.model(key, request as unknown as types.SamplingRequest)) as unknown as JsonObject

/** The upstream continues as soon as the person agrees to open the page, and reports later that the person has finished. */
async function askToOpenPage({ key, message, url, completed, answer }: Page, ask: types.AskFunction): Promise<void> {
  const agreed = () => answer({ action: 'accept' })
  const until = () => {
    agreed()
    return completed ?? Promise.resolve()
  }
  await ask.url(key, message, url, completed && { until })
  agreed()
}

type Page = UpstreamQuestion & { readonly kind: 'page' }

function passDecline(question: UpstreamQuestion, no: Declined): undefined {
  if (question.kind === 'form' || question.kind === 'page') question.answer({ action: no.action })
  else question.refuse(no)
}

/** The schema comes from the upstream, so a validator with limits checks the answer. */
function formOf(schema: JsonObject): StandardSchema<unknown, JsonObject> {
  const compiled = compile(schema)
  const validate = (value: unknown) => {
    const issues = compiled.check(value).map(({ path, message }) => ({ message: `${path} ${message}`.trim() }))
    return issues.length > 0 ? { issues } : { value: value as JsonObject } // a form's schema always describes an object
  }
  const quoted = quoteForm(schema)
  const schemaOf = () => quoted
  return { '~standard': { version: 1, vendor: 'upstream', validate, jsonSchema: { input: schemaOf, output: schemaOf } } }
}

function untilWithdrawn(signal: AbortSignal): Promise<'withdrawn'> {
  return new Promise((resolve) => {
    const end = () => void setTimeout(resolve, withdrawalDelayMs, 'withdrawn')
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true })
  })
}
