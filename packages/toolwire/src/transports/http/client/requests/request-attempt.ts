import { longestWorkMs, yieldToEventLoop } from '../../../../bounds/yield-when-busy.js'
import { TransportError } from '../../../../peer/client-transport.js'
import type { DispatchHandler, Hangup, ReceivedHeaders } from '../http-clients/http-client.js'
import type { ResponseBody } from '../replies/response-body.js'
import type { RetryingRequest } from './retrying-request.js'

/** Milliseconds for a server to end a stream after the last message, so that the connection can be reused. */
const lingerMs = 100

/** One attempt of an HTTP request. It calls at most one of its owner's `failed` and `broke`, and then nothing more. */
export class RequestAttempt implements DispatchHandler {
  readonly #owner: RetryingRequest
  #hangup: Hangup | undefined
  #body: ResponseBody | undefined
  #isOver = false
  /** Milliseconds of reading since other work had its turn. */
  #workedMs = 0
  /** Resolves when a long message has been read. */
  #reading: Promise<void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(owner: RetryingRequest) {
    this.#owner = owner
  }

  stop(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#hangup?.abort(new Error('No longer wanted'))
  }

  /** Ends the attempt after its answer has arrived; nothing more is reported. */
  settle(): void {
    this.#isOver = true
    this.#timer = setTimeout(() => this.stop(), lingerMs)
  }

  onRequestStart(hangup: Hangup): void {
    this.#hangup = hangup
    if (this.#isOver) this.stop()
  }

  onResponseStart(_hangup: Hangup, status: number, headers: ReceivedHeaders): void {
    const isInformation = status >= 100 && status < 200
    if (this.#isOver || isInformation) return
    try {
      this.#body = this.#owner.answered(status, headers)
    } catch (thrown) {
      this.#fail(thrown)
    }
  }

  /** Reads a large response in slices, so that other work gets its turn. */
  onResponseData(hangup: Hangup, chunk: Uint8Array): void | Promise<void> {
    if (this.#isOver) return
    if (this.#reading) return this.#readAlone(hangup, () => (this.#isOver ? undefined : this.#body?.push(chunk)))
    const began = performance.now()
    try {
      const reading = this.#body?.push(chunk)
      if (reading) return this.#readAlone(hangup, () => reading)
    } catch (thrown) {
      this.#fail(thrown)
    }
    this.#workedMs += performance.now() - began
    if (this.#workedMs < longestWorkMs || this.#isOver) return
    this.#workedMs = 0
    if (!hangup.pause) return yieldToEventLoop()
    hangup.pause()
    setTimeout(() => hangup.resume?.())
  }

  onResponseEnd(): void {
    if (this.#reading) return void this.#reading.then(() => this.onResponseEnd())
    const body = this.#body
    this.#hangup = undefined
    this.#body = undefined
    clearTimeout(this.#timer)
    if (this.#isOver) return
    try {
      body?.end()?.catch((thrown: unknown) => this.#fail(thrown))
    } catch (thrown) {
      this.#fail(thrown)
    }
  }

  /** Reads a long message. What comes meanwhile is read afterwards. */
  #readAlone(hangup: Hangup, read: () => void | Promise<void>): void | Promise<void> {
    const reading = (async () => {
      await this.#reading
      await read()
    })()
      .catch((thrown: unknown) => this.#fail(thrown))
      .finally(() => {
        if (this.#reading === reading) this.#reading = undefined
        hangup.resume?.()
      })
    this.#reading = reading
    if (!hangup.pause) return reading
    hangup.pause()
  }

  onResponseError(hangup: Hangup | undefined, error: Error): void {
    // The message that is being read may be the answer.
    if (this.#reading) return void this.#reading.then(() => this.onResponseError(hangup, error))
    clearTimeout(this.#timer)
    if (this.#isOver) return
    this.#isOver = true
    this.#owner.broke(error, this.#hangup !== undefined)
  }

  #fail(thrown: unknown): void {
    this.stop()
    const isOurs = thrown instanceof TransportError
    this.#owner.failed(
      isOurs ? thrown : new TransportError('broken', 'The answer could not be read', { sent: true, cause: thrown }),
    )
  }
}
