// The end of a gateway: calls that have come before it are made, later ones are refused, which is recorded like any other refusal.
import { type Policy, Refusal, type ToolCall } from 'toolwire'

export class Leaving {
  readonly policy: Policy = {
    name: 'leaving',
    call: (call, next) =>
      this.#began && late.has(call.context) ? Promise.reject(new Refusal('busy', stopping, { retryAfterMs: 5_000 })) : next(call),
  }
  #began = false

  get began(): boolean {
    return this.#began
  }

  begin(): void {
    this.#began = true
  }

  /** Later rounds of a call belong to one that was accepted. */
  arrived({ context }: ToolCall): void {
    if (this.#began && !context.continued) late.add(context)
  }
}

const late = new WeakSet<ToolCall['context']>()
const stopping = 'The gateway is being stopped; try again in a moment'
