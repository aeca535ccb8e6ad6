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

/** Time for a server to notice that a call was abandoned, or to finish work that goes on after its answer. */
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

/** Stands for all parties without a name once their requests have ended, because nothing tells such parties apart then. */
const unnamed = Symbol('unnamed')
const nameOf = (party: unknown): unknown => (typeof party === 'string' ? party : unnamed)

export class RequestScopes {
  readonly #usual: ElicitationHandler
  readonly #open = new Bag<RequestScope>()
  /** The parties whose requests have ended, by name, with the time of the latest end. */
  readonly #ended = new Map<unknown, number>()
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
        this.#end(scope)
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
    if (!(thrown instanceof CallFailure && gaveUp.has(thrown.code))) return void this.#end(scope)
    scope.isOver = true
    later(() => this.#open.delete(scope))
  }

  /** Keeps the party but not the request, which may be large: one entry for each party, and one timer for all. */
  #end(scope: RequestScope): void {
    this.#open.delete(scope)
    const { onBehalfOf } = scope.handlers
    if (onBehalfOf === undefined) return
    if (this.#ended.size === 0) later(() => this.#forgetEnded())
    this.#ended.set(nameOf(onBehalfOf), performance.now())
  }

  #forgetEnded(): void {
    const since = performance.now() - lingerMs
    for (const [name, at] of this.#ended) if (at <= since) this.#ended.delete(name)
    if (this.#ended.size > 0) later(() => this.#forgetEnded())
  }

  /** Returns the scope that a message is about; undefined for the connection as a whole. */
  of(params: JsonObject | undefined, origin: MessageOrigin): RequestScope | undefined | typeof ambiguousScope {
    if (origin.with) return origin.with.scope
    if (this.#open.size === 0 && this.#ended.size === 0) return undefined
    const open = this.#open.all()
    const task = relatedTaskIdIn(params)
    const waits = task !== undefined && open.find(({ taskId }) => taskId === task)
    if (waits) return waits
    const parties = new Set<unknown>(open.map(({ party }) => party))
    if (origin.underWay().some(({ scope, method }) => !scope && mayAsk.has(method))) parties.add(this)
    const [party] = parties
    if (party === undefined) return undefined
    if (parties.size > 1 || this.#mayBeOfAnother(party)) return ambiguousScope
    if (party === this) return undefined
    // The task belongs to a request that has ended, or that is not known to be a task yet.
    if (task !== undefined) return ambiguousScope
    const [latest] = open.filter(({ isOver }) => !isOver).sort(byReach)
    return latest ?? ambiguousScope
  }

  /** True if a request of another party has ended recently. */
  #mayBeOfAnother(party: unknown): boolean {
    const since = performance.now() - lingerMs
    return [...this.#ended].some(([name, at]) => at > since && name !== nameOf(party))
  }
}

function later(run: () => void): void {
  const timer: ReturnType<typeof setTimeout> & { unref?: () => void } = setTimeout(run, lingerMs)
  timer.unref?.()
}

/** Requests with handlers for messages go first, because others have none (suggestions for an argument), and then the latest. */
const byReach = (one: RequestScope, other: RequestScope): number =>
  Number(hasListeners(other)) - Number(hasListeners(one)) || other.number - one.number

const hasListeners = ({ handlers: { onLog, answers } }: RequestScope): boolean => Boolean(onLog ?? answers)

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
