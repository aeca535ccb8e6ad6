import type { InvalidMessage, SingleMessage } from '../../../../jsonrpc/read-message.js'
import { TransportError, unusableAnswer } from '../../../../peer/client-transport.js'

type Answer = Extract<SingleMessage, { kind: 'response' }>

/** The message, if it answers that request. An error that names no request can be about none but the one it comes back for. */
export function answerIn(message: SingleMessage, id: number | undefined): Answer | undefined {
  if (message.kind !== 'response' || id === undefined) return undefined
  const { response } = message
  if (response.id === id) return message
  const namesNone = 'error' in response && (response.id === undefined || response.id === null)
  return namesNone ? { kind: 'response', response: { ...response, id } } : undefined
}

/** Throws if that was meant to be the answer, or cannot have been anything. */
export function checkNotAnswer({ id: about, about: kind, error }: InvalidMessage, id: number | undefined): void {
  if (about !== undefined && about === id) throw unusableAnswer(error.message)
  if (kind === 'unknown') throw unreadableAnswer(`what is no message: ${error.message}`)
}

export const unreadableAnswer = (what: string): TransportError =>
  new TransportError('garbage', `The server answered with ${what}`, { sent: true })
