// Tells another program of calls that wait, which may say yes or no in its answer. Nothing waits for it: others may decide meanwhile.
import { createHmac } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Json } from 'toolwire'
import type { ApprovalAnswer, PendingApproval } from 'toolwire/guard'
import { JsonError, parseJson } from 'toolwire/relay'
import { abortAfter } from '../bounds/abort-after.js'
import { isObject } from '../json/is-object.js'

type WebhookOptions = {
  readonly url: string
  /** Signs what is sent: HMAC-SHA256 over the moment, a dot and the body. */
  readonly secret: string
  /** The program may say who has decided, as callers are named. */
  readonly decide: (id: string, answer: ApprovalAnswer, by: string | undefined) => Promise<unknown>
  readonly onTrouble: (words: string) => void
  readonly fetch?: typeof fetch
  /** Before the second attempt; twice as long before the next. */
  readonly retryMs?: number
}

const attempts = 4
const longestAnswer = 65_536

export class ApprovalWebhook {
  readonly #options: WebhookOptions
  readonly #under = new Map<string, AbortController>()

  constructor(options: WebhookOptions) {
    this.#options = options
  }

  /** Returns at once. */
  approvalAsked(one: PendingApproval): void {
    const over = new AbortController()
    this.#under.set(one.id, over)
    const signal = abortAfter(over.signal, Math.max(1, one.expiresAt - Date.now()))
    this.#tell(one, signal)
      .catch((thrown) => {
        if (!signal.aborted) this.#options.onTrouble(`The webhook did not receive ${one.id}: ${thrown}`)
      })
      .finally(() => this.#under.delete(one.id))
  }

  /** It waits no longer, so nobody need be told. */
  approvalSettled(id: string): void {
    this.#under.get(id)?.abort()
  }

  close(): void {
    for (const over of this.#under.values()) over.abort()
  }

  async #tell(one: PendingApproval, signal: AbortSignal): Promise<void> {
    const answer = await this.#answerTo(JSON.stringify({ type: 'approval.pending', approval: one }), signal)
    if (answer) await this.#options.decide(one.id, answer.said, answer.by)
  }

  async #answerTo(body: string, signal: AbortSignal): Promise<Said | undefined> {
    const { url, retryMs = 1_000 } = this.#options
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await this.#post(body, signal)
        if (response.ok) return readDecision(new Uint8Array(await response.arrayBuffer()), url)
        await response.body?.cancel()
        if (response.status < 500) throw new RefusingAgent(`it answers ${response.status}`)
        throw new Error(`it answers ${response.status}`)
      } catch (thrown) {
        if (thrown instanceof RefusingAgent || attempt === attempts || signal.aborted) throw thrown
      }
      await pause(retryMs * 2 ** (attempt - 1), undefined, { signal })
    }
  }

  #post(body: string, signal: AbortSignal): Promise<Response> {
    const { url, secret, fetch: send = fetch } = this.#options
    const timestamp = Math.floor(Date.now() / 1_000).toString()
    const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
    const headers = {
      'content-type': 'application/json',
      'x-toolwire-timestamp': timestamp,
      'x-toolwire-signature': `v1=${signature}`,
    }
    // The operator has not named the target of a redirect.
    return send(url, { method: 'POST', headers, body, signal, redirect: 'error' })
  }
}

class RefusingAgent extends Error {}

type Said = { readonly said: ApprovalAnswer; readonly by: string | undefined }

/** A yes counts only where nobody in between could have said it. */
function readDecision(bytes: Uint8Array, url: string): Said | undefined {
  if (bytes.length === 0 || bytes.length > longestAnswer) return undefined
  const said = parsed(bytes)
  if (!isObject(said)) return undefined
  const { decision, reason, by: name } = said
  const by = typeof name === 'string' && name !== '' ? name.slice(0, 200) : undefined
  if (decision === 'deny') return { said: typeof reason === 'string' ? { deny: reason } : 'deny', by }
  return decision === 'allow' && isPrivate(new URL(url)) ? { said: 'allow', by } : undefined
}

function parsed(bytes: Uint8Array): Json {
  try {
    return parseJson(bytes)
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown
    throw new RefusingAgent(`its answer is not accepted: ${thrown.message}`)
  }
}

const isPrivate = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
