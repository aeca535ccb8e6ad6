import { type JsonObject, RpcError } from 'toolwire'
import { CallFailure } from 'toolwire/client'
import { EventQueue } from '../event-queue.js'
import type { RouteRequest } from '../route.js'
import { serverSentEvent } from '../server-sent-event.js'
import { type TrialEvent, toolTrial } from '../tool-trials.js'

/** Calls a tool and streams its progress to the end. Closing the stream cancels the call. */
export async function* tryTool({ control, params: { name = '' }, body, caller, signal }: RouteRequest): AsyncGenerator<string> {
  const mailbox = new EventQueue<TrialEvent>()
  const one = toolTrial(caller, (event) => mailbox.put(event))
  const forget = control.tries.add(one)
  // The schema of the body guarantees an object.
  const args = (body.arguments ?? {}) as JsonObject
  const over = control.call(name, args, {
    caller,
    signal,
    answers: one.answers,
    onBegun: (call) => one.noteBegun(call),
    onProgress: (progress) => one.progress(progress),
  })
  over
    .then((result): TrialEvent => ({ event: 'result', data: result }), refusedWith)
    .then((end) => {
      mailbox.put(end)
      mailbox.close()
    })
  try {
    for (let taken = await mailbox.take(); taken.length > 0; taken = await mailbox.take())
      yield taken.map(({ event, data }) => serverSentEvent({ event, data })).join('')
  } finally {
    forget()
  }
}

function refusedWith(thrown: unknown): TrialEvent {
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  const code = thrown instanceof CallFailure || thrown instanceof RpcError ? { code: thrown.code } : {}
  return { event: 'refused', data: { ...code, message } }
}
