// A request to an upstream while it is under way. What the upstream asks meanwhile waits here until somebody answers it: within the
// same request of the caller, or in a later one that takes the call up again.
import type { Caller, Context } from 'toolwire'
import {
  type Answering,
  type Asked,
  type Asks,
  type CallOptions,
  type FormAnswer,
  type JsonObject,
  NotForThis,
  type PageAnswer,
  Stopper,
  type StopSignal,
} from 'toolwire/client'
import { QuestionKeys } from './question-keys.js'

/** A question that waits. */
type Open<Answer> = {
  /** Names it within its call. */
  readonly key: string
  /** Aborted when nobody wants to know any more. */
  readonly gone: AbortSignal
  answer(answer: Answer): void
  /** Nobody could be asked; the upstream is told why. */
  refuse(reason: Error): void
}

export type Root = { uri: string; name?: string }

/** What an upstream asks whoever made the call. */
export type Question =
  | (Open<FormAnswer> & { readonly kind: 'form'; readonly message: string; readonly schema: JsonObject })
  | (Open<PageAnswer> & {
      readonly kind: 'page'
      readonly message: string
      readonly url: string
      /** Resolves when the upstream says that the person is done there. */
      readonly completed: Promise<void> | undefined
    })
  | (Open<JsonObject> & { readonly kind: 'model'; readonly request: JsonObject })
  | (Open<readonly Root[]> & { readonly kind: 'roots' })

/** How it ended. */
export type End<T> = { readonly kind: 'end'; readonly value: T } | { readonly kind: 'failed'; readonly why: unknown }

/** Who hears how it goes on. */
export type Audience = Pick<Context, 'progress' | 'log' | 'outlast'>

/** What a request brings along so that it can be parked. */
export type Parking = CallOptions & { readonly signal: StopSignal }

/** Whom a request is made for, and what it says of them. */
export type OnBehalf = {
  readonly caller: Caller
  readonly meta: JsonObject
  readonly asks: Asks
  readonly onBehalfOf: string | object
  /** They have time for a task. */
  readonly asTask?: boolean
  readonly paramHeaders?: readonly string[] | undefined
}

export class Parked<T> {
  /** Whoever waits for it now; nobody while it waits for an answer between two requests. */
  audience: Audience | undefined
  readonly #stop = new Stopper()
  #questions: Map<string, { readonly question: Question; readonly gone: AbortController }> | undefined
  #keys: QuestionKeys | undefined
  #end: End<T> | undefined
  #wake: (() => void) | undefined

  constructor(begin: (parking: Parking) => Promise<T>, whom: OnBehalf) {
    begin(this.#parking(whom)).then(
      (value) => this.#over({ kind: 'end', value }),
      (why) => this.#over({ kind: 'failed', why }),
    )
  }

  /** The questions that wait, or how it ended, as soon as there is either. One caller at a time. */
  async next(): Promise<readonly Question[] | End<T>> {
    while (!this.#end && !this.#questions?.size)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    return this.#end ?? this.#waiting()
  }

  #waiting(): readonly Question[] {
    return Array.from(this.#questions?.values() ?? [], ({ question }) => question)
  }

  /** Nobody waits for it any more: the upstream is told, in the way of its edition. */
  cancel(reason: unknown): void {
    this.#stop.abort(reason)
  }

  #parking({ meta, asks, onBehalfOf, asTask = false, paramHeaders }: OnBehalf): Parking {
    return {
      signal: this.#stop,
      meta,
      asks,
      onBehalfOf,
      asTask,
      ...(paramHeaders && { paramHeaders }),
      // Whoever made the call decides what is put to whom, and when.
      atOnce: true,
      eachProgress: true,
      answers: this.#answers(),
      onProgress: ({ progress, total, message }) => this.audience?.progress(progress, total, message),
      onTask: () => this.audience?.outlast?.(),
      onLog: ({ level, data, logger }) => this.audience?.log(level, data, logger),
    }
  }

  #answers(): Answering {
    return {
      form: ({ message, schema, ...asked }) =>
        this.#put<FormAnswer>((open) => ({ ...open, kind: 'form', message, schema }), asked),
      page: ({ message, url, completed, ...asked }) =>
        this.#put<PageAnswer>((open) => ({ ...open, kind: 'page', message, url, completed }), asked),
      model: ({ request, ...asked }) => this.#put<JsonObject>((open) => ({ ...open, kind: 'model', request }), asked),
      roots: async (asked) => [...(await this.#put<readonly Root[]>((open) => ({ ...open, kind: 'roots' }), asked))],
    }
  }

  #put<Answer>(make: (open: Open<Answer>) => Question, { key: named, signal }: Asked): Promise<Answer> {
    this.#keys ??= new QuestionKeys()
    const key = this.#keys.next(named)
    const gone = new AbortController()
    signal.addEventListener('abort', () => this.#drop(key), { once: true })
    return new Promise((resolve, reject) => {
      const answer = (given: Answer) => this.#drop(key) && resolve(given)
      const refuse = (reason: Error) => this.#drop(key) && reject(reason)
      this.#questions ??= new Map()
      this.#questions.set(key, { question: make({ key, gone: gone.signal, answer, refuse }), gone })
      this.#wake?.()
    })
  }

  #drop(key: string): boolean {
    this.#questions?.get(key)?.gone.abort()
    return this.#questions?.delete(key) ?? false
  }

  #over(end: End<T>): void {
    this.#end = end
    // On a pipe, older servers ask without saying about which request.
    if (this.#questions?.size) for (const question of this.#waiting()) question.refuse(new NotForThis('The request is over'))
    this.#wake?.()
  }
}
