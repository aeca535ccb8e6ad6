import type { Application } from '../../peer/application.js'
import { type Caller, localUser } from '../../tools/caller.js'
import { answerText } from '../batch-answers.js'
import { duplexChannel } from '../duplex-channel.js'

/** The client's end of a channel in memory. Messages pass as text, through the same parser as everywhere. */
export type ClientEnd = ReturnType<typeof memoryPair>

export function memoryPair(app: Application, caller: Caller = localUser) {
  let listener: ((message: string) => void) | undefined
  let open = true
  const deliver = (message: string) => open && listener?.(message)
  const channel = duplexChannel(app, caller, (body) => queueMicrotask(() => deliver(answerText({ body }))))
  return {
    send(message: string | Uint8Array): void {
      if (open) channel.take(message)
    },
    onMessage(given: (message: string) => void): void {
      listener = given
    },
    close(): void {
      if (open) channel.leave()
      open = false
    },
  }
}
