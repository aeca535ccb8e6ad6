import { isObject, type JsonObject } from '../../json.js'
import { notifyListener } from '../../policy/notify-listener.js'
import type { Progress } from '../client.js'

const everyMs = 100

/** Passes on at most ten progress reports a second: always the newest, and the last one before the answer. */
export class ProgressThrottle {
  readonly #pass: (progress: Progress) => void
  readonly #each: boolean
  #latest: Progress | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(pass: (progress: Progress) => void, { each = false }: { each?: boolean | undefined } = {}) {
    this.#pass = pass
    this.#each = each
  }

  take(params: JsonObject | undefined): void {
    const progress = readProgress(params)
    if (!progress) return
    this.#latest = progress
    if (this.#each) this.#flush()
    else if (this.#timer === undefined) this.#passOn()
  }

  /** A pause follows each report, even one that was passed on at once. */
  readonly #passOn = (): void => {
    this.#timer = this.#latest && setTimeout(this.#passOn, everyMs)
    this.#flush()
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#flush()
  }

  #flush(): void {
    const latest = this.#latest
    this.#latest = undefined
    if (latest) notifyListener('onProgress', () => this.#pass(latest))
  }
}

function readProgress(params: JsonObject | undefined): Progress | undefined {
  if (!isObject(params) || typeof params.progress !== 'number') return undefined
  const { progress, total, message } = params
  return {
    progress,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message }),
  }
}
