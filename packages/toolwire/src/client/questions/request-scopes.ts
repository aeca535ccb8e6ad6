// Requests with people of their own to attend to them, and which of them a message of the server's is about.

import { Bag, type BagItem } from '../../bounds/bag.js'
import { isObject, type JsonObject } from '../../json.js'
import { metaKeys, metaOf } from '../../revisions/meta-keys.js'
import type { CallHandlers } from '../client.js'
import type { PendingRequest } from '../connection/pending-request.js'
import { CallFailure, type CallFailureCode } from '../errors.js'
import type { ElicitationHandler } from './elicitation-handler.js'

/** A request, and all that is sent for it, as long as it is under way. */
export class RequestScope implements BagItem {
  readonly handlers: CallHandlers
  /** Set when the call goes on as a task. */
  taskId: string | undefined
  /** Nobody waits for it any more, but the server need not know that yet. */
  isOver = false
  place = 0
  /** Later requests have higher ones. */
  readonly number: number
  readonly #usual: ElicitationHandler
  #elicitationHandler: ElicitationHandler | undefined

  constructor(callHandlers: CallHandlers, usual: ElicitationHandler, number: number) {
    this.handlers = callHandlers
    this.#usual = usual
    this.number = number
  }

  get answerer(): ElicitationHandler {
    const { answers, atOnce } = this.handlers
    this.#elicitationHandler ??= answers ? this.#usual.with(answers, atOnce) : this.#usual
    return this.#elicitationHandler
  }

  /** The party that the request is for; without a name, only this scope. */
  get party(): unknown {
    return this.handlers.onBehalfOf ?? this
  }
}

export type ScopedRequest = { readonly scope?: RequestScope | undefined }

/** With which request a message came, if with any, and which are under way. */
export type MessageOrigin = { readonly with: PendingRequest | undefined; readonly underWay: () => readonly PendingRequest[] }

/** While one of these is under way the server may ask. */
const mayAsk: ReadonlySet<string> = new Set(['tools/call', 'tasks/result', 'prompts/get', 'resources/read'])

/** How long a server is given to notice that a call was given up. */
const lingerMs = 30_000
const gaveUp: ReadonlySet<CallFailureCode> = new Set(['cancelled', 'outcome_unknown', 'timed_out'])

/**
 * Thrown by an answer: the request that the question was put to is over, so it is about another one of the same party.
 *
 * @example
 * ```ts
 * const isForAnother = (thrown: unknown) => thrown instanceof MisdirectedQuestion
 * ```
 */
export class MisdirectedQuestion extends Error {
  override readonly name = 'MisdirectedQuestion'
}

/** Requests of several people are under way, and the message may be about any of them. */
export const ambiguousScope = Symbol('unclear')

export class RequestScopes {
  readonly #usual: ElicitationHandler
  readonly #open = new Bag<RequestScope>()
  #last = 0

  constructor(usual: ElicitationHandler) {
    this.#usual = usual
  }

  /** Runs a request; most have nobody of their own. */
  during<T>(callHandlers: CallHandlers, run: (scope: RequestScope | undefined) => Promise<T>): Promise<T> {
    if (!hasHandlers(callHandlers)) return run(undefined)
    const scope = new RequestScope(callHandlers, this.#usual, ++this.#last)
    this.#open.add(scope)
    return run(scope).then(
      (result) => {
        this.#open.delete(scope)
        return result
      },
      (thrown) => {
        this.#leave(scope, thrown)
        throw thrown
      },
    )
  }

  /** The server may still ask about an abandoned request, and its questions must not reach the next caller. */
  #leave(scope: RequestScope, thrown: unknown): void {
    if (!(thrown instanceof CallFailure && gaveUp.has(thrown.code))) return void this.#open.delete(scope)
    scope.isOver = true
    const timer: ReturnType<typeof setTimeout> & { unref?: () => void } = setTimeout(() => this.#open.delete(scope), lingerMs)
    timer.unref?.()
  }

  /** What the message is about; undefined for the connection as a whole. */
  of(params: JsonObject | undefined, messageOrigin: MessageOrigin): RequestScope | undefined | typeof ambiguousScope {
    if (messageOrigin.with) return messageOrigin.with.scope
    if (this.#open.size === 0) return undefined
    const open = this.#open.all()
    const task = relatedTaskIdIn(params)
    const waits = task !== undefined && open.find(({ taskId }) => taskId === task)
    if (waits) return waits
    const others = messageOrigin.underWay().some(({ scope, method }) => !scope && mayAsk.has(method))
    if (others || open.some(({ party }) => party !== open[0]?.party)) return ambiguousScope
    const [latest] = open.filter(({ isOver }) => !isOver).sort((one, other) => other.number - one.number)
    return latest ?? ambiguousScope
  }
}

/** Reads the handlers last, because a caller may create them lazily. */
const hasHandlers = (callHandlers: CallHandlers): boolean =>
  callHandlers.onBehalfOf !== undefined ||
  callHandlers.asks !== undefined ||
  callHandlers.eachProgress === true ||
  callHandlers.onLog !== undefined ||
  callHandlers.answers !== undefined

/** The task that a message says it is about. */
export function relatedTaskIdIn(params: JsonObject | undefined): string | undefined {
  const task = metaOf(params)?.[metaKeys.relatedTask]
  return isObject(task) && typeof task.taskId === 'string' ? task.taskId : undefined
}
