// Requests with handlers of their own, and the assignment of the server's messages to them.

import { Bag, type BagItem } from '../../bounds/bag.js'
import { isObject, type JsonObject } from '../../json.js'
import { metaKeys, metaOf } from '../../revisions/meta-keys.js'
import type { CallHandlers } from '../client.js'
import type { PendingRequest } from '../connection/pending-request.js'
import { CallFailure, type CallFailureCode } from '../errors.js'
import type { ElicitationHandler } from './elicitation-handler.js'

/** A request with handlers of its own, and all that is sent for it, while it is pending. */
export class RequestScope implements BagItem {
  readonly handlers: CallHandlers
  /** Set when the call becomes a task. */
  taskId: string | undefined
  /** True if the caller has abandoned the request, which the server may not know yet. */
  isOver = false
  place = 0
  /** Sequence number, higher for later requests. */
  readonly number: number
  readonly #usual: ElicitationHandler
  #elicitationHandler: ElicitationHandler | undefined

  constructor(callHandlers: CallHandlers, usual: ElicitationHandler, number: number) {
    this.handlers = callHandlers
    this.#usual = usual
    this.number = number
  }

  get elicitationHandler(): ElicitationHandler {
    const { answers, atOnce } = this.handlers
    this.#elicitationHandler ??= answers ? this.#usual.with(answers, this.party, atOnce) : this.#usual
    return this.#elicitationHandler
  }

  /** The party that the request is for; without a name, only this scope. */
  get party(): unknown {
    return this.handlers.onBehalfOf ?? this
  }
}

export type ScopedRequest = { readonly scope?: RequestScope | undefined }

/** The request on whose reply a message came, if any, and all pending requests. */
export type MessageOrigin = { readonly with: PendingRequest | undefined; readonly underWay: () => readonly PendingRequest[] }

/** Methods during which a server may ask questions. */
const mayAsk: ReadonlySet<string> = new Set(['tools/call', 'tasks/result', 'prompts/get', 'resources/read'])

/** Time for a server to notice that a call was abandoned. */
const lingerMs = 30_000
const gaveUp: ReadonlySet<CallFailureCode> = new Set(['cancelled', 'outcome_unknown', 'timed_out'])

/**
 * Thrown by an answer handler whose request is over, so that the question goes to another request of the same party.
 *
 * @example
 * ```ts
 * const isForAnother = (thrown: unknown) => thrown instanceof MisdirectedQuestion
 * ```
 */
export class MisdirectedQuestion extends Error {
  override readonly name = 'MisdirectedQuestion'
}

/** Marks a message that may be about requests of several people. */
export const ambiguousScope = Symbol('unclear')

export class RequestScopes {
  readonly #usual: ElicitationHandler
  readonly #open = new Bag<RequestScope>()
  #last = 0

  constructor(usual: ElicitationHandler) {
    this.#usual = usual
  }

  /** Runs a request. It gets a scope only if it has handlers of its own. */
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

  /** Returns the scope that a message is about; undefined for the connection as a whole. */
  of(params: JsonObject | undefined, origin: MessageOrigin): RequestScope | undefined | typeof ambiguousScope {
    if (origin.with) return origin.with.scope
    if (this.#open.size === 0) return undefined
    const open = this.#open.all()
    const task = relatedTaskIdIn(params)
    const waits = task !== undefined && open.find(({ taskId }) => taskId === task)
    if (waits) return waits
    const others = origin.underWay().some(({ scope, method }) => !scope && mayAsk.has(method))
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

export function relatedTaskIdIn(params: JsonObject | undefined): string | undefined {
  const task = metaOf(params)?.[metaKeys.relatedTask]
  return isObject(task) && typeof task.taskId === 'string' ? task.taskId : undefined
}
