// A running request to an upstream. The upstream's questions wait here for an answer, in the same or a later request of the caller.
import type { Context, JsonObject } from 'toolwire'
import { type CallOptions, MisdirectedQuestion, type Progress, type RemoteTool } from 'toolwire/client'
import { type Answering, bounds, type types } from 'toolwire/relay'
import { QuestionKeys } from './question-keys.js'

/** A question without an answer yet. */
type OpenQuestion<Answer> = {
  /** Identifies the question within its call. */
  readonly key: string
  /** Aborted when the question is withdrawn or settled. */
  readonly closed: AbortSignal
  answer(answer: Answer): void
  /** Reports to the upstream that the caller could not be asked, and why. */
  refuse(reason: Error): void
}

export type ClientRoot = { uri: string; name?: string }

/** A question of an upstream for the caller. */
export type UpstreamQuestion =
  | (OpenQuestion<types.FormAnswer> & { readonly kind: 'form'; readonly message: string; readonly schema: JsonObject })
  | (OpenQuestion<types.PageAnswer> & {
      readonly kind: 'page'
      readonly message: string
      readonly url: string
      /** Resolves when the upstream reports that the person has finished on the page. */
      readonly completed: Promise<void> | undefined
    })
  | (OpenQuestion<JsonObject> & { readonly kind: 'model'; readonly request: JsonObject })
  | (OpenQuestion<readonly ClientRoot[]> & { readonly kind: 'roots' })

export type RelayEnd<T> = { readonly kind: 'end'; readonly value: T } | { readonly kind: 'failed'; readonly why: unknown }

/** Receives the progress of a call, with the caller's context. */
export type OnProgress = (context: Context, progress: Progress) => void

/** The options of a request that can be suspended. */
export type SuspensibleOptions = CallOptions & { readonly signal: types.CancelToken; readonly beforeSend: BeforeSend }

/** The caller's part in a request to an upstream. */
export type CallOrigin = {
  readonly meta: JsonObject
  readonly asks: types.AnswerKinds
  readonly onBehalfOf: string | object
  /** The caller can wait for a task. */
  readonly asTask?: boolean
  readonly paramHeaders?: readonly string[] | undefined
}

/** Throws if the request may no longer be sent. A call's request comes with the tool as its server lists it now. */
export type BeforeSend = (tool?: RemoteTool) => void | Promise<void>

type CallStep<T> = readonly UpstreamQuestion[] | RelayEnd<T>

export type CallWatch = { readonly onProgress?: OnProgress | undefined; readonly beforeSend?: BeforeSend | undefined }

/** A suspended call also serves as the options of its own request. */
export class SuspendedCall<T> implements SuspensibleOptions {
  /** The request that waits for the call now; undefined while the caller is between two requests. */
  audience: Context | undefined
  readonly meta: JsonObject
  readonly asks: types.AnswerKinds
  readonly onBehalfOf: string | object
  readonly asTask: boolean
  readonly paramHeaders: readonly string[] | undefined
  // The caller's own client decides the order of questions.
  readonly atOnce = true
  readonly eachProgress = true
  readonly #stop = new bounds.CancelSource()
  readonly signal: types.CancelToken = this.#stop
  readonly #observe: OnProgress | undefined
  /** Undefined once a question has shown that the call was sent, because it refers to the first request of the caller. */
  #beforeSend: BeforeSend | undefined
  #questions: Map<string, { readonly question: UpstreamQuestion; readonly gone: AbortController }> | undefined
  #keys: QuestionKeys | undefined
  #end: RelayEnd<T> | undefined
  #wake: (() => void) | undefined

  constructor(
    begin: (options: SuspensibleOptions) => Promise<T>,
    origin: CallOrigin,
    { onProgress, beforeSend }: CallWatch = {},
  ) {
    this.meta = origin.meta
    this.asks = origin.asks
    this.onBehalfOf = origin.onBehalfOf
    this.asTask = origin.asTask ?? false
    this.paramHeaders = origin.paramHeaders
    this.#observe = onProgress
    this.#beforeSend = beforeSend
    begin(this).then(
      (value) => this.#finish({ kind: 'end', value }),
      (why) => this.#finish({ kind: 'failed', why }),
    )
  }

  /** The open questions or the end of the call, as soon as there are any. Only one caller may wait at a time. */
  next(): Promise<CallStep<T>> {
    const news = this.#news
    if (news) return Promise.resolve(news)
    return new Promise((resolve) => {
      // Assigned below, because assigning the function directly would delay garbage collection of the call:
      // docs/decisions/0012-what-a-call-leaves-behind.md.
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

  /** Cancels the request at the upstream, in the form of its revision. */
  cancel(reason: unknown): void {
    this.#stop.abort(reason)
  }

  /** Handlers for the upstream's questions, created when one is asked. */
  get answers(): Answering {
    return {
      form: ({ message, schema, ...asked }) =>
        this.#addQuestion<types.FormAnswer>((open) => ({ ...open, kind: 'form', message, schema }), asked),
      page: ({ message, url, completed, ...asked }) =>
        this.#addQuestion<types.PageAnswer>((open) => ({ ...open, kind: 'page', message, url, completed }), asked),
      model: ({ request, ...asked }) => this.#addQuestion<JsonObject>((open) => ({ ...open, kind: 'model', request }), asked),
      roots: async (asked) => [
        ...(await this.#addQuestion<readonly ClientRoot[]>((open) => ({ ...open, kind: 'roots' }), asked)),
      ],
    }
  }

  #addQuestion<Answer>(
    make: (open: OpenQuestion<Answer>) => UpstreamQuestion,
    { key: named, signal }: types.Asked,
  ): Promise<Answer> {
    this.#beforeSend = undefined
    this.#keys ??= new QuestionKeys()
    const key = this.#keys.next(named)
    const gone = new AbortController()
    signal.addEventListener('abort', () => this.#closeQuestion(key), { once: true })
    return new Promise((resolve, reject) => {
      const answer = (given: Answer) => this.#closeQuestion(key) && resolve(given)
      const refuse = (reason: Error) => this.#closeQuestion(key) && reject(reason)
      this.#questions ??= new Map()
      this.#questions.set(key, { question: make({ key, closed: gone.signal, answer, refuse }), gone })
      // Deferred, so that questions asked together arrive together.
      queueMicrotask(() => this.#wake?.())
    })
  }

  #closeQuestion(key: string): boolean {
    this.#questions?.get(key)?.gone.abort()
    return this.#questions?.delete(key) ?? false
  }

  readonly beforeSend: BeforeSend = (tool) => this.#beforeSend?.(tool)

  readonly onProgress = ({ progress, total, message }: Progress): void => {
    const { audience } = this
    if (!audience) return
    audience.progress(progress, total, message)
    const more = { ...(total !== undefined && { total }), ...(message !== undefined && { message }) }
    this.#observe?.(audience, { progress, ...more })
  }

  readonly onTask = (): void => this.audience?.promoteToTask?.()

  readonly onLog = ({ level, data, logger }: types.LogEntry): void => void this.audience?.log(level, data, logger)

  #finish(end: RelayEnd<T>): void {
    this.#end = end
    // Over stdio, older servers do not name the request of a question, so the question may belong to another request.
    for (const { question } of this.#questions?.values() ?? []) question.refuse(new MisdirectedQuestion('The request is over'))
    this.#wake?.()
  }
}
