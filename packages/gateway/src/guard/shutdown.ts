// Shutdown of the gateway. Calls that arrived before it run to their end; later calls are refused and recorded as refusals.
import { Refusal } from 'toolwire'
import type { Policy, ToolCall } from 'toolwire/guard'

export class Shutdown {
  readonly policy: Policy = {
    name: 'leaving',
    call: (call, next) =>
      this.hasBegun && this.#late.has(call.context)
        ? Promise.reject(new Refusal('busy', stopping, { cause: 'shutdown', retryAfterMs: 5_000 }))
        : next(call),
  }
  readonly #late = new WeakSet<ToolCall['context']>()
  hasBegun = false
  /** The shutdown is announced, so that clients send nothing new. Calls that still arrive are answered. */
  isAnnounced = false

  announce(): void {
    this.isAnnounced = true
  }

  begin(): void {
    this.isAnnounced = true
    this.hasBegun = true
  }

  /** Marks a late call. Later rounds of an accepted call are not late. */
  noteArrival({ context }: ToolCall): void {
    if (this.hasBegun && !context.continued) this.#late.add(context)
  }
}

const stopping = 'The gateway is being stopped; try again in a moment'
