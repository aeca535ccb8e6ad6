/**
 * As much of an AbortSignal as it takes to hear that something is to stop. Every AbortSignal is one; what only stands in for one is
 * far cheaper to make.
 */
export type CancelToken = {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/**
 * Tells once that something is to stop.
 *
 * @example
 * ```ts
 * const source = new CancelSource()
 * ```
 */
export class CancelSource implements CancelToken {
  aborted = false
  reason: unknown
  /** Mostly there is only one, who needs no list. */
  #first: (() => void) | undefined
  #others: (() => void)[] | undefined

  abort(reason: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    const listeners = this.#first ? [this.#first, ...(this.#others ?? [])] : (this.#others ?? [])
    this.#first = undefined
    this.#others = undefined
    for (const listener of listeners) callListener(listener)
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.#first && !this.#others) this.#first = listener
    else {
      this.#others ??= []
      this.#others.push(listener)
    }
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    if (this.#first === listener) {
      this.#first = undefined
      return
    }
    const at = this.#others?.indexOf(listener) ?? -1
    if (at !== -1) this.#others?.splice(at, 1)
  }
}

/** One that throws keeps the others from nothing, as it is with events. */
function callListener(listener: () => void): void {
  try {
    listener()
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown
    })
  }
}

const followers = new WeakMap<CancelToken, AbortSignal>()

/** A whole one that follows it, for those who want no less. There is one for each, or what lives long would gather followers. */
export function abortSignalOf(stop: CancelToken): AbortSignal {
  if (stop instanceof AbortSignal) return stop
  const signal = followers.get(stop) ?? newAbortSignalOf(stop)
  followers.set(stop, signal)
  return signal
}

export function newAbortSignalOf(stop: CancelToken): AbortSignal {
  const controller = new AbortController()
  const follow = () => controller.abort(stop.reason)
  if (stop.aborted) follow()
  else stop.addEventListener('abort', follow, { once: true })
  return controller.signal
}
