/** The part of AbortSignal that tells of a cancellation. A CancelSource has it, too, and is far cheaper to create. */
export type CancelToken = {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/**
 * A cancel token that its owner aborts, at most once.
 *
 * @example
 * ```ts
 * const source = new bounds.CancelSource()
 * ```
 */
export class CancelSource implements CancelToken {
  aborted = false
  reason: unknown
  /** The only listener of most tokens, which then need no array. */
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

/** A listener that throws does not keep the other listeners from being called, as with events. */
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

/** An AbortSignal that follows the token. It is cached, because a long-lived token would otherwise gather followers. */
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
