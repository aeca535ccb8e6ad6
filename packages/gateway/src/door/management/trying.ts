import type { JsonObject } from 'toolwire'
import { CallFailure, RpcError } from 'toolwire/client'
import { Try, type TryEvent } from '../tries.js'
import { eventText } from './event-text.js'
import { Mailbox } from './mailbox.js'
import type { Ask } from './route.js'

/** Calls a tool, and tells how it goes on until it is over. Whoever stops listening has given the call up. */
export async function* trying({ control, params: { name = '' }, body, caller, signal }: Ask): AsyncGenerator<string> {
  const mailbox = new Mailbox<TryEvent>()
  const one = new Try(caller, (event) => mailbox.put(event))
  const forget = control.tries.add(one)
  // The schema of the body has said that it is an object.
  const args = (body.arguments ?? {}) as JsonObject
  const over = control.call(name, args, {
    caller,
    signal,
    answers: one.answers,
    onBegun: (call) => one.began(call),
    onProgress: (progress) => one.progress(progress),
  })
  over
    .then((result): TryEvent => ({ event: 'result', data: result }), refusedWith)
    .then((end) => {
      mailbox.put(end)
      mailbox.close()
    })
  try {
    for (let taken = await mailbox.take(); taken.length > 0; taken = await mailbox.take())
      yield taken.map(({ event, data }) => eventText({ event, data })).join('')
  } finally {
    forget()
  }
}

function refusedWith(thrown: unknown): TryEvent {
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  const code = thrown instanceof CallFailure || thrown instanceof RpcError ? { code: thrown.code } : {}
  return { event: 'refused', data: { ...code, message } }
}
