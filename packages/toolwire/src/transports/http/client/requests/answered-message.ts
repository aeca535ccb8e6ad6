import type { OutgoingMessage } from '../../../../peer/client-transport.js'

/** A message that has an answer. */
export type AnsweredMessage = OutgoingMessage & { readonly id: number }

export const isAnsweredMessage = (message: OutgoingMessage): message is AnsweredMessage => message.id !== undefined
