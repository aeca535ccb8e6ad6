import { type Credentials, type CredentialsRequest, LinkError } from '../../../peer/link.js'
import { Attempt, type Attempting } from './attempt.js'
import type { Body } from './body.js'
import { headerOf, type ReceivedHeaders } from './carrier.js'
import type { Door } from './door.js'
import { failureOf } from './failure.js'
import { withProof } from './headings.js'
import { appeal, prove } from './proof.js'
import { isRedirect, redirectOf } from './redirect.js'
import { RefusalBody, refusalOf } from './refusal.js'
import type { Sender, Task } from './task.js'

const mostTries = 5

/** An HTTP request, made again where a redirect or a refusal calls for it, until there is an answer or none to be had. */
export class Errand implements Attempting {
  readonly #door: Door
  readonly #task: Task
  readonly #sender: Sender
  #path: string
  #attempt: Attempt
  #isOver = false
  #redirects = 0
  #tries = 1

  constructor(door: Door, task: Task, sender: Sender) {
    this.#door = door
    this.#task = task
    this.#sender = sender
    this.#path = task.path ?? door.target.path
    this.#attempt = new Attempt(this)
  }

  begin(): void {
    const { credentials } = this.#door
    if (credentials === undefined) this.#dispatch(this.#task.headers)
    else this.#prove(credentials)
  }

  /** Breaks it off; nothing is told any more. */
  stop(): void {
    this.#isOver = true
    this.#attempt.stop()
  }

  /** What was wanted is there; nothing is told any more. */
  settle(): void {
    this.#isOver = true
    this.#attempt.settle()
  }

  answered(status: number, headers: ReceivedHeaders): Body {
    this.#door.credentials?.answered?.({ url: this.#request().url, status, header: (name) => headerOf(headers, name) })
    if (status >= 200 && status < 300) return this.#sender.answered(status, headers)
    return new RefusalBody((body) => this.#refused(status, headers, body))
  }

  failed(why: LinkError): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#sender.failed(why)
  }

  broke(error: Error, written: boolean): void {
    this.failed(failureOf(error, { name: this.#door.target.name, written }))
  }

  #prove(credentials: Credentials): void {
    const use = (proof: Readonly<Record<string, string>>) => this.#dispatch(withProof(this.#task.headers, proof))
    prove({ credentials, request: this.#request(), use, fail: (why) => this.failed(why), waits: this.#waits })
  }

  #dispatch(headers: string[]): void {
    if (this.#isOver) return
    const { lane, httpMethod: method, text } = this.#task
    const path = this.#path
    this.#door.carrier.dispatch(
      text === undefined ? { lane, path, method, headers } : { lane, path, method, headers, body: text },
      this.#attempt,
    )
  }

  #again(): void {
    if (this.#isOver) return
    this.#attempt = new Attempt(this)
    this.begin()
  }

  #refused(status: number, headers: ReceivedHeaders, body: Uint8Array | undefined): void {
    this.#attempt.stop()
    const { id, hasSession } = this.#task
    const refused = { status, headers, body, id, hasSession, name: this.#door.target.name }
    if (isRedirect(status)) this.#redirected(status, headers)
    else if (status === 401 || status === 403) void this.#appeal({ status, headers, why: refusalOf(refused) })
    else this.failed(refusalOf(refused))
  }

  #redirected(status: number, headers: ReceivedHeaders): void {
    const to = redirectOf({ status, headers, url: this.#request().url, redirects: this.#redirects++ })
    if (to instanceof LinkError) {
      this.failed(to)
    } else {
      this.#path = to
      this.#again()
    }
  }

  async #appeal({ status, headers, why }: { status: 401 | 403; headers: ReceivedHeaders; why: LinkError }): Promise<void> {
    const { credentials } = this.#door
    if (credentials === undefined || this.#tries++ >= mostTries) return this.failed(why)
    const challenge = { ...this.#request(), status, headers, method: this.#task.method }
    this.#waits(true)
    const refusal = await appeal(credentials, challenge, why).finally(() => this.#waits(false))
    if (refusal === undefined) this.#again()
    else this.failed(refusal)
  }

  readonly #waits = (isWaiting: boolean): void => {
    const { id } = this.#task
    if (id !== undefined && !this.#isOver) this.#door.listener.waits?.(id, isWaiting)
  }

  #request(): CredentialsRequest {
    return { url: this.#door.target.origin + this.#path, httpMethod: this.#task.httpMethod }
  }
}
