// The questions of one call: asks each, waits for its answer, and asks again if the answer does not fit.

import { rejectOnAbort } from '../../bounds/reject-on-abort.js'
import type { PeerInfo } from '../../peer/conversation.js'
import { type Ask, Declined, type WaitUntil } from '../../tools/ask.js'
import type { AskFunction } from '../../tools/context.js'
import { Refusal } from '../../tools/refusal.js'
import { ToolError } from '../../tools/result.js'
import type { OutputOf, StandardSchema } from '../../tools/standard-schema.js'
import type { CallContext } from '../../tools/tool.js'
import type { SendNotification } from '../calls/progress-reporter.js'
import { type Elicitor, type InputRequest, inputRequestFor, missingCapabilities, missingCapabilityError } from './elicitor.js'
import { readElicitationAnswer, UnfitAnswer } from './read-answer.js'

const mostTries = 3

type Parts = { readonly peerInfo: PeerInfo; readonly elicitor: () => Elicitor; readonly tell: SendNotification }

type AskingCall = Pick<CallContext, 'signal' | 'clock' | 'checkAnswer'>

export class Elicitation {
  readonly #call: AskingCall
  readonly #parts: Parts
  #waitingFor = 0

  constructor(call: AskingCall, parts: Parts) {
    this.#call = call
    this.#parts = parts
  }

  async put(key: string, ask: Ask): Promise<unknown> {
    const question = inputRequestFor(key, ask, this.#parts.peerInfo)
    const answer = await this.#answerTo(key, ask, question)
    if (ask.kind === 'url' && ask.until) await this.#visited(ask.until, this.#parts.elicitor().sent?.(key) ?? question)
    return answer
  }

  lacks(kind: Ask['kind']): Error | undefined {
    const missing = missingCapabilities(kind, this.#parts.peerInfo)
    return missing && missingCapabilityError(missing, this.#parts.peerInfo)
  }

  async #answerTo(key: string, ask: Ask, question: InputRequest): Promise<unknown> {
    const elicitor = this.#parts.elicitor()
    let response = await this.#waitFor(elicitor.ask(key, question))
    for (let tries = 1; ; tries++) {
      try {
        const answer = await readElicitationAnswer(ask, response)
        const checking = this.#checkMayGo()
        if (checking) await checking
        return answer
      } catch (thrown) {
        if (!(thrown instanceof UnfitAnswer)) throw thrown
        if (tries >= mostTries) throw new ToolError(`The answer to "${key}" does not fit: ${thrown.message}`)
        response = await this.#waitFor(elicitor.ask(key, question, true))
      }
    }
  }

  /** The call was made before it asked, so it fails, and does not count as refused. */
  #checkMayGo(): void | Promise<void> {
    const fail = (cause: unknown): never => {
      throw cause instanceof Refusal ? new ToolError(cause.message, { cause }) : cause
    }
    try {
      return this.#call.checkAnswer?.()?.catch(fail)
    } catch (cause) {
      fail(cause)
    }
  }

  /** Waits until the person is done on the page, and tells a client that got an id for the page. */
  async #visited(until: WaitUntil, { params: { elicitationId } }: InputRequest): Promise<void> {
    const { signal } = this.#call
    await this.#waitFor(Promise.race([until(signal), rejectOnAbort(signal)]))
    // spec 2025-11-25, client/elicitation#completion-notifications-for-url-mode-elicitation
    if (elicitationId !== undefined) this.#parts.tell('notifications/elicitation/complete', { elicitationId })
  }

  /** Stops the call's clock while the call waits for the other side. */
  async #waitFor<T>(coming: Promise<T>): Promise<T> {
    if (++this.#waitingFor === 1) this.#call.clock?.heard('asking')
    try {
      return await coming
    } finally {
      if (--this.#waitingFor === 0) this.#call.clock?.heard('answered')
    }
  }

  /** An optional question that cannot be asked, or is declined, has no answer. */
  async putOptional(key: string, ask: Ask): Promise<unknown> {
    if (missingCapabilities(ask.kind, this.#parts.peerInfo, ask.kind === 'model' ? ask.request : undefined)) return undefined
    try {
      return await this.put(key, ask)
    } catch (thrown) {
      if (thrown instanceof Declined) return undefined
      throw thrown
    }
  }
}

export function askFunction(interview: Elicitation): AskFunction {
  const put = (key: string, ask: Ask) => {
    const answer = interview.put(key, ask) as Promise<never> // readElicitationAnswer returns what the kind of question promises
    answer.catch(ignore) // a handler that does not wait for the answer must not end the process
    return answer
  }
  const form = <S extends StandardSchema>(key: string, message: string, schema: S): Promise<OutputOf<S>> =>
    put(key, { kind: 'form', message, schema })
  const others: Pick<AskFunction, 'url' | 'model' | 'roots' | 'can' | 'lacks'> = {
    can: (kind) => interview.lacks(kind) === undefined,
    lacks: (kind) => interview.lacks(kind),
    url: (key, message, url, options) => put(key, { kind: 'url', message, url, ...options }),
    model: (key, request) => put(key, { kind: 'model', request }),
    roots: (key) => put(key, { kind: 'roots' }),
  }
  return Object.assign(form, others)
}

const ignore = () => undefined
