import type { Application } from '../../peer/application.js'
import { type Caller, localUser } from '../../tools/caller.js'
import { answerText } from '../batch-answers.js'
import { DuplexChannel } from '../duplex-channel.js'

/** The client's end of a channel in memory. Messages pass as text, through the same parser as everywhere. */
export type ClientEnd = {
  send(message: string | Uint8Array): void
  onMessage(listener: (message: string) => void): void
  close(): void
}

/** Connects to an application without leaving the process. */
export function memoryPair(app: Application, caller: Caller = localUser): ClientEnd {
  let listener: ((message: string) => void) | undefined
  let open = true
  const deliver = (message: string) => open && listener?.(message)
  const channel = new DuplexChannel(app, caller, (body) => queueMicrotask(() => deliver(answerText({ body }))))
  return {
    send(message) {
      if (open) channel.take(message)
    },
    onMessage(given) {
      listener = given
    },
    close() {
      if (open) channel.leave()
      open = false
    },
  }
}
