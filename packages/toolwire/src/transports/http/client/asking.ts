import type { Outgoing } from '../../../peer/link.js'

/** A message that has an answer. */
export type Asking = Outgoing & { readonly id: number }

export const isAsking = (message: Outgoing): message is Asking => message.id !== undefined
