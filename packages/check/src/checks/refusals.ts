// Verdicts from the reply to one request.
import type { JsonObject } from 'toolwire'
import type { Received } from '../connection/connection.js'
import { jsonOf, textOf } from '../json.js'
import { errorCodeOf, isResponseMessage, resultOf, type Session } from '../session/session.js'
import { excerptOf } from '../session/transcript.js'
import { enforced, enforcedIf, missingBecause, type Verdict } from '../verdict.js'

export const responseIn = ({ messages }: Pick<Received, 'messages'>): JsonObject | undefined => messages.find(isResponseMessage)

/** Enforced if the request was refused with one of these codes. */
export function refusedWith(heard: Received, ...codes: readonly number[]): Verdict {
  const answer = responseIn(heard)
  const code = errorCodeOf(answer)
  if (typeof code === 'number' && codes.includes(code)) return enforced(`Refused with ${code}`)
  return missingBecause(`Expected the error ${codes.join(' or ')}; ${describeReceived(heard)}`)
}

/** Codes for mismatched headers: a server may compare the headers with the body before it looks at anything else. */
export const headerMismatch = ({ wire, revision }: Session): readonly number[] =>
  wire.kind === 'http' && !revision.handshake ? [-32020] : []

/** Enforced by one of these codes, or by an HTTP error status without any message, which is enough for text that is no request. */
export function refusedUnread(heard: Received, ...codes: readonly number[]): Verdict {
  if (!responseIn(heard) && heard.status !== undefined && heard.status >= 400)
    return enforced(`Refused with HTTP ${heard.status}`)
  return refusedWith(heard, ...codes)
}

/** Was the message carried out, which gives a result? */
export const isCarriedOut = (heard: Received): boolean => 'result' in (responseIn(heard) ?? {})

/** Enforced if the server still answers after a message that should change nothing. */
export async function goesOn(session: Session, good = 'The server goes on'): Promise<Verdict> {
  const after = await session.ask(session.probe)
  return enforcedIf(resultOf(after.response), good, `The next request: ${describeReceived(after)}`)
}

/** Enforced by any refusal: an error, an error result, or an HTTP status. */
export function refusedAnyhow(heard: Received): Verdict {
  const answer = responseIn(heard)
  if (resultOf(answer)?.isError === true) return enforced('Refused with an error result')
  if (answer && 'result' in answer) return missingBecause(`The request was carried out: ${excerptOf(jsonOf(answer.result))}`)
  if (answer) return enforced(`Refused with ${textOf(errorCodeOf(answer))}`)
  if (heard.status !== undefined && heard.status >= 400) return enforced(`Refused with HTTP ${heard.status}`)
  return missingBecause(describeReceived(heard))
}

/** Enforced by one of these HTTP statuses. */
export function withStatus(heard: Received, ...statuses: readonly number[]): Verdict {
  if (heard.status !== undefined && statuses.includes(heard.status)) return enforced(`HTTP ${heard.status}`)
  return missingBecause(`Expected HTTP ${statuses.join(' or ')}; ${describeReceived(heard)}`)
}

export function describeReceived(heard: Received): string {
  const answer = responseIn(heard)
  const status = heard.status === undefined ? '' : ` with HTTP ${heard.status}`
  if (answer && 'error' in answer) return `got the error ${textOf(errorCodeOf(answer))}${status}`
  if (answer) return `got a result${status}`
  if (heard.status !== undefined) return `got HTTP ${heard.status}`
  return heard.end === 'closed' ? 'the connection was closed' : 'no answer came'
}
