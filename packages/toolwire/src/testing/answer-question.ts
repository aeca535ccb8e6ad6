import type { Json, JsonObject } from '../json.js'
import { metaKeys, metaOf } from '../revisions/meta-keys.js'

/** A question from the server, with the server's key for it. */
export type HarnessQuestion = { key: string | undefined; method: string; params: JsonObject }

/** Answers by key: form content, true for a page, false to decline, a whole response for sampling or roots, or a function. */
export type Answers = { readonly [key: string]: Json | ((question: HarnessQuestion) => Json | Promise<Json>) }

export async function answerQuestion(question: HarnessQuestion, answers: Answers): Promise<JsonObject> {
  const key = question.key ?? keyOf(question)
  const answer = key === undefined ? undefined : answers[key]
  if (answer === undefined) throw new Error(`The test gives no answer to the question "${key ?? question.method}"`)
  return responseOf(question, typeof answer === 'function' ? await answer(question) : answer)
}

/** Requests carry the key in `_meta`, because a request has no other name. */
function keyOf({ params }: HarnessQuestion): string | undefined {
  const key = metaOf(params)?.[metaKeys.question]
  return typeof key === 'string' ? key : undefined
}

function responseOf({ method }: HarnessQuestion, answer: Json): JsonObject {
  if (method !== 'elicitation/create') return answer as JsonObject // a sampling result or roots, as the test wrote it
  if (answer === false) return { action: 'decline' }
  if (answer === true) return { action: 'accept' }
  return typeof answer === 'object' && answer !== null && 'action' in answer
    ? (answer as JsonObject)
    : { action: 'accept', content: answer }
}
