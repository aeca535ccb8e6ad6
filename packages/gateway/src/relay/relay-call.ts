// One request passed on to an upstream, its questions put to the caller on the way. Where the caller's edition takes questions as
// results, the run ends with the question and the upstream's call waits, parked; the next run takes it up again.

import { type Context, type Json, RpcError, ToolError } from 'toolwire'
import type { Progress } from 'toolwire/client'
import { Suspension, type types } from 'toolwire/relay'
import { isObject } from '../json/is-object.js'
import type { ProgressAudience, RelayEnd, SuspendedCall, UpstreamQuestion } from '../upstreams/suspended-call.js'
import { askAll, type QuestionSource } from './ask-caller.js'
import type { SuspendedCalls } from './suspended-calls.js'

const suspendedKey = 'parked'

/** What it comes to at the upstream. Throws what keeps it from coming to an end here. */
export async function relayCall<T>(ctx: Context, lot: SuspendedCalls, relayOptions: RelayOptions<T>): Promise<RelayEnd<T>> {
  const run = new RelayRun<T>(ctx, lot, relayOptions.server)
  const call = ctx.resumed ? await run.takeUp(relayOptions.begin) : relayOptions.begin()
  const { cancelToken: stopping } = ctx
  const stop = () => call.cancel(stopping.reason)
  if (stopping.aborted) stop()
  else stopping.addEventListener('abort', stop)
  call.audience = relayOptions.onProgress ? new ObservedProgress(ctx, relayOptions.onProgress) : ctx
  try {
    const first = await call.next()
    const end = 'kind' in first ? first : await run.toTheEnd(call, first)
    // The code that aborted the call has chosen the caller's error.
    if (end.kind === 'failed' && stopping.reason instanceof RpcError) throw stopping.reason
    const lacking = end.kind === 'failed' && missingCapabilityError(end.why, ctx.ask)
    if (lacking) throw lacking
    if (run.unasked && (end.kind === 'failed' || relayOptions.failed?.(end.value))) throw run.unasked
    return end
  } catch (thrown) {
    if (thrown instanceof Suspension) run.suspend()
    else call.cancel(thrown)
    throw thrown
  } finally {
    call.audience = undefined
    stopping.removeEventListener('abort', stop)
    run.over()
  }
}

type RelayOptions<T> = {
  readonly begin: () => SuspendedCall<T>
  /** Whose questions are put. */
  readonly server: string
  /** Hears how it goes on, besides whoever made the call. */
  readonly onProgress?: OnProgress | undefined
  /** Whether a value stands for a failure, which is then one for want of an answer if the caller could not be asked. */
  readonly failed?: (value: T) => boolean
}

class RelayRun<T> {
  /** Why the caller could not be asked, if that is so. */
  unasked: Error | undefined
  readonly #ctx: Context
  readonly #lot: SuspendedCalls
  readonly #server: string
  #place: string | undefined
  #isSuspended = false

  constructor(ctx: Context, lot: SuspendedCalls, server: string) {
    this.#ctx = ctx
    this.#lot = lot
    this.#server = server
  }

  /** The call as an earlier run has left it, or a new one where that had made none. It is never made twice. */
  async takeUp(begin: () => SuspendedCall<T>): Promise<SuspendedCall<T>> {
    const { once, caller } = this.#ctx
    let made: SuspendedCall<T> | undefined
    this.#place = await once(suspendedKey, () => {
      made = begin()
      return this.#lot.keep(made, caller.id)
    })
    const call = made ?? this.#lot.find(this.#place, caller.id)
    if (!call) throw new ToolError(lost)
    return call as SuspendedCall<T> // the state that led here is for this very request
  }

  /** From its first questions. */
  async toTheEnd(call: SuspendedCall<T>, questions: readonly UpstreamQuestion[]): Promise<RelayEnd<T>> {
    this.#place ??= await this.#ctx.once(suspendedKey, () => this.#lot.keep(call, this.#ctx.caller.id))
    const { caller } = this.#ctx
    const [lot, server] = [this.#lot, this.#server]
    const from: QuestionSource = { server, asked: (question, put) => lot.asked({ caller, server, question }, put) }
    this.unasked = (await askAll(questions, this.#ctx.ask, from)) ?? this.unasked
    const next = await call.next()
    return 'kind' in next ? next : this.toTheEnd(call, next)
  }

  suspend(): void {
    this.#isSuspended = true
  }

  over(): void {
    if (this.#place === undefined) return
    if (this.#isSuspended) this.#lot.wait(this.#place)
    else this.#lot.forget(this.#place)
  }
}

const lost =
  'outcome_unknown: the call waited for this answer and has been lost meanwhile, so whether the tool did its work cannot be known; it was not made again'

/** Told how far a call is, by the context that it is made in. */
export type OnProgress = (context: Context, progress: Progress) => void

/** Whoever made the call, and somebody who listens. */
class ObservedProgress implements ProgressAudience {
  readonly #context: Context
  readonly #onProgress: OnProgress

  constructor(context: Context, onProgress: OnProgress) {
    this.#context = context
    this.#onProgress = onProgress
  }

  get progress(): ProgressAudience['progress'] {
    const { progress } = this.#context
    return (done, total, message) => {
      progress(done, total, message)
      const more = { ...(total !== undefined && { total }), ...(message !== undefined && { message }) }
      this.#onProgress(this.#context, { progress: done, ...more })
    }
  }

  get log(): ProgressAudience['log'] {
    return this.#context.log
  }

  get promoteToTask(): ProgressAudience['promoteToTask'] {
    return this.#context.promoteToTask
  }
}

/** spec 2026-07-28, basic/index#error-codes */
const missingCapability = -32021

/** Why the upstream would not begin, where that is what its caller cannot be asked, in the words of the caller's edition. */
function missingCapabilityError(why: unknown, ask: types.AskFunction): Error | undefined {
  if (!(why instanceof RpcError) || why.code !== missingCapability) return undefined
  const data = why.data as Json | undefined // it came as JSON
  const required = isObject(data) && isObject(data.requiredCapabilities) ? data.requiredCapabilities : {}
  if (required.sampling !== undefined) return ask.lacks('model')
  if (required.roots !== undefined) return ask.lacks('roots')
  if (required.elicitation === undefined) return undefined
  const pages = isObject(required.elicitation) && required.elicitation.url !== undefined
  return ask.lacks(pages ? 'url' : 'form')
}
