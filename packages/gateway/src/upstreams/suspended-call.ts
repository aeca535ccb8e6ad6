// A request to an upstream while it is under way. What the upstream asks meanwhile waits here until somebody answers it: within the
// same request of the caller, or in a later one that takes the call up again.
import type { Context, JsonObject } from 'toolwire'
import { type CallOptions, MisdirectedQuestion, type Progress } from 'toolwire/client'
import { type Answering, CancelSource, type types } from 'toolwire/relay'
import { QuestionKeys } from './question-keys.js'

/** A question that waits. */
type OpenQuestion<Answer> = {
  /** Names it within its call. */
  readonly key: string
  /** Aborted when nobody wants to know any more. */
  readonly gone: AbortSignal
  answer(answer: Answer): void
  /** Nobody could be asked; the upstream is told why. */
  refuse(reason: Error): void
}

export type Root = { uri: string; name?: string }

/** A question of an upstream for the caller. */
export type UpstreamQuestion =
  | (OpenQuestion<types.FormAnswer> & { readonly kind: 'form'; readonly message: string; readonly schema: JsonObject })
  | (OpenQuestion<types.PageAnswer> & {
      readonly kind: 'page'
      readonly message: string
      readonly url: string
      /** Resolves when the upstream says that the person is done there. */
      readonly completed: Promise<void> | undefined
    })
  | (OpenQuestion<JsonObject> & { readonly kind: 'model'; readonly request: JsonObject })
  | (OpenQuestion<readonly Root[]> & { readonly kind: 'roots' })

/** How it ended. */
export type RelayEnd<T> = { readonly kind: 'end'; readonly value: T } | { readonly kind: 'failed'; readonly why: unknown }

/** Told how far a call is, by the context that it is made in. */
export type OnProgress = (context: Context, progress: Progress) => void

/** What a request brings along so that it can be parked. */
export type SuspensibleOptions = CallOptions & { readonly signal: types.CancelToken }

/** What a request says of whom it is made for. */
export type CallOrigin = {
  readonly meta: JsonObject
  readonly asks: types.AnswerKinds
  readonly onBehalfOf: string | object
  /** They have time for a task. */
  readonly asTask?: boolean
  readonly paramHeaders?: readonly string[] | undefined
}

type CallStep<T> = readonly UpstreamQuestion[] | RelayEnd<T>

/** It is what goes along with its request, too. */
export class SuspendedCall<T> implements SuspensibleOptions {
  /** The request that waits for the call now; undefined while the call waits for an answer between two requests. */
  audience: Context | undefined
  readonly meta: JsonObject
  readonly asks: types.AnswerKinds
  readonly onBehalfOf: string | object
  readonly asTask: boolean
  readonly paramHeaders: readonly string[] | undefined
  // The caller's own client decides the order of questions.
  readonly atOnce = true
  readonly eachProgress = true
  readonly #stop = new CancelSource()
  readonly signal: types.CancelToken = this.#stop
  readonly #observe: OnProgress | undefined
  #questions: Map<string, { readonly question: UpstreamQuestion; readonly gone: AbortController }> | undefined
  #keys: QuestionKeys | undefined
  #end: RelayEnd<T> | undefined
  #wake: (() => void) | undefined

  constructor(begin: (options: SuspensibleOptions) => Promise<T>, whom: CallOrigin, observe?: OnProgress) {
    this.meta = whom.meta
    this.asks = whom.asks
    this.onBehalfOf = whom.onBehalfOf
    this.asTask = whom.asTask ?? false
    this.paramHeaders = whom.paramHeaders
    this.#observe = observe
    begin(this).then(
      (value) => this.#over({ kind: 'end', value }),
      (why) => this.#over({ kind: 'failed', why }),
    )
  }

  /** The questions that wait, or how it ended, as soon as there is either. One caller at a time. */
  next(): Promise<CallStep<T>> {
    const news = this.#news
    if (news) return Promise.resolve(news)
    return new Promise((resolve) => {
      // Not assigned where it is written, which would keep the call from being collected early: docs/decisions/0012-what-a-call-leaves-behind.md.
      const wake = () => {
        const since = this.#news
        if (since) resolve(since)
      }
      this.#wake = wake
    })
  }

  get #news(): CallStep<T> | undefined {
    if (this.#end || !this.#questions?.size) return this.#end
    return Array.from(this.#questions.values(), ({ question }) => question)
  }

  /** Nobody waits for it any more: the upstream is told, in the way of its revision. */
  cancel(reason: unknown): void {
    this.#stop.abort(reason)
  }

  /** Handlers for the upstream's questions, created when one is asked. */
  get answers(): Answering {
    return {
      form: ({ message, schema, ...asked }) =>
        this.#put<types.FormAnswer>((open) => ({ ...open, kind: 'form', message, schema }), asked),
      page: ({ message, url, completed, ...asked }) =>
        this.#put<types.PageAnswer>((open) => ({ ...open, kind: 'page', message, url, completed }), asked),
      model: ({ request, ...asked }) => this.#put<JsonObject>((open) => ({ ...open, kind: 'model', request }), asked),
      roots: async (asked) => [...(await this.#put<readonly Root[]>((open) => ({ ...open, kind: 'roots' }), asked))],
    }
  }

  #put<Answer>(make: (open: OpenQuestion<Answer>) => UpstreamQuestion, { key: named, signal }: types.Asked): Promise<Answer> {
    this.#keys ??= new QuestionKeys()
    const key = this.#keys.next(named)
    const gone = new AbortController()
    signal.addEventListener('abort', () => this.#drop(key), { once: true })
    return new Promise((resolve, reject) => {
      const answer = (given: Answer) => this.#drop(key) && resolve(given)
      const refuse = (reason: Error) => this.#drop(key) && reject(reason)
      this.#questions ??= new Map()
      this.#questions.set(key, { question: make({ key, gone: gone.signal, answer, refuse }), gone })
      // Others may come with it.
      queueMicrotask(() => this.#wake?.())
    })
  }

  #drop(key: string): boolean {
    this.#questions?.get(key)?.gone.abort()
    return this.#questions?.delete(key) ?? false
  }

  readonly onProgress = ({ progress, total, message }: Progress): void => {
    const { audience } = this
    if (!audience) return
    audience.progress(progress, total, message)
    const more = { ...(total !== undefined && { total }), ...(message !== undefined && { message }) }
    this.#observe?.(audience, { progress, ...more })
  }

  readonly onTask = (): void => this.audience?.promoteToTask?.()

  readonly onLog = ({ level, data, logger }: types.LogEntry): void => void this.audience?.log(level, data, logger)

  #over(end: RelayEnd<T>): void {
    this.#end = end
    // On a pipe, older servers ask without saying about which request.
    for (const { question } of this.#questions?.values() ?? []) question.refuse(new MisdirectedQuestion('The request is over'))
    this.#wake?.()
  }
}
