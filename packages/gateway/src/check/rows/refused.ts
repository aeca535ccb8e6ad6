// How rows read what a request came to.
import type { JsonObject } from 'toolwire'
import { shown } from '../journal.js'
import { codeOf, isAnswer, resultOf, type Talk } from '../talk.js'
import { enforced, missing, type Verdict } from '../verdict.js'
import type { Heard } from '../wire/wire.js'

/** The first response in what came. */
export const answerIn = ({ messages }: Pick<Heard, 'messages'>): JsonObject | undefined => messages.find(isAnswer)

/** Refused with one of these codes. */
export function refusedWith(heard: Heard, ...codes: readonly number[]): Verdict {
  const answer = answerIn(heard)
  const code = codeOf(answer)
  if (typeof code === 'number' && codes.includes(code)) return enforced(`Refused with ${code}`)
  return missing(`Wanted the error ${codes.join(' or ')}; ${outcomeOf(heard)}`)
}

/** The headers that repeat the body may be compared with it before anything else is looked at. */
export const headersFirst = ({ wire, edition }: Talk): readonly number[] =>
  wire.kind === 'http' && !edition.handshake ? [-32020] : []

/** Refused with one of these codes, or by a status of HTTP with no message at all, which suffices for what is no request. */
export function unread(heard: Heard, ...codes: readonly number[]): Verdict {
  if (!answerIn(heard) && heard.status !== undefined && heard.status >= 400) return enforced(`Refused with HTTP ${heard.status}`)
  return refusedWith(heard, ...codes)
}

/** Refused in whatever way: an error, a result that says so, or a status of HTTP. */
export function refusedSomehow(heard: Heard): Verdict {
  const answer = answerIn(heard)
  if (resultOf(answer)?.isError === true) return enforced('Refused in the result')
  if (answer && 'result' in answer) return missing(`It was carried out: ${shown(JSON.stringify(answer.result))}`)
  if (answer) return enforced(`Refused with ${String(codeOf(answer))}`)
  if (heard.status !== undefined && heard.status >= 400) return enforced(`Refused with HTTP ${heard.status}`)
  return missing(outcomeOf(heard))
}

/** Answered with a status of HTTP. */
export function withStatus(heard: Heard, ...statuses: readonly number[]): Verdict {
  if (heard.status !== undefined && statuses.includes(heard.status)) return enforced(`HTTP ${heard.status}`)
  return missing(`Wanted HTTP ${statuses.join(' or ')}; ${outcomeOf(heard)}`)
}

/** In a few words, what came. */
export function outcomeOf(heard: Heard): string {
  const answer = answerIn(heard)
  const status = heard.status === undefined ? '' : ` with HTTP ${heard.status}`
  if (answer && 'error' in answer) return `came the error ${String(codeOf(answer))}${status}`
  if (answer) return `came a result${status}`
  if (heard.status !== undefined) return `came HTTP ${heard.status}`
  return heard.end === 'closed' ? 'the connection was closed' : 'no answer came'
}
