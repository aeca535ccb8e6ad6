// Sends pending calls to another program, which may decide them in its response. Meanwhile other people can decide too.
import { createHmac } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Json } from 'toolwire'
import type { ApprovalAnswer, PendingApproval } from 'toolwire/guard'
import { JsonError, parseJson } from 'toolwire/relay'
import { abortAfter } from '../bounds/abort-after.js'
import { isPrivateConnection } from '../config/own-address.js'
import { isObject } from '../json/is-object.js'

export type WebhookOptions = {
  readonly url: string
  /** The key of the signature: HMAC-SHA256 over the timestamp, a dot and the body. */
  readonly secret: string
  /** `by` is the person that the program names, as callers are named. */
  readonly decide: (id: string, answer: ApprovalAnswer, by: string | undefined) => Promise<unknown>
  readonly onTrouble: (words: string) => void
}

const attempts = 4
/** Delay before the second attempt; it doubles with each further one. */
const retryMs = 1_000
const longestAnswer = 65_536

export function approvalWebhook(options: WebhookOptions) {
  const running = new Map<string, AbortController>()
  return {
    /** Sends the call in the background. */
    asked(one: PendingApproval): void {
      if (running.has(one.id)) return
      const over = new AbortController()
      running.set(one.id, over)
      const signal = abortAfter(over.signal, Math.max(1, one.expiresAt - Date.now()))
      const body = JSON.stringify({ type: 'approval.pending', approval: one })
      sendWithRetries(body, options, signal)
        .then((answer) => answer && options.decide(one.id, answer.answer, answer.by))
        .catch((thrown) => {
          if (!signal.aborted) options.onTrouble(`The approval webhook failed for ${one.id}: ${thrown.message}`)
        })
        .finally(() => running.delete(one.id))
    },
    /** Aborts the request for a call that is no longer pending. */
    settled: (id: string): void => running.get(id)?.abort(),
    close(): void {
      for (const over of running.values()) over.abort()
    },
  }
}

async function sendWithRetries(body: string, options: WebhookOptions, signal: AbortSignal): Promise<WebhookDecision | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await post(body, options, signal)
      if (response.ok) return readDecision(await readAnswer(response), options.url)
      await response.body?.cancel()
      const Failure = response.status < 500 ? WebhookRefusal : Error
      throw new Failure(`the answer was HTTP ${response.status}`)
    } catch (thrown) {
      if (thrown instanceof WebhookRefusal || attempt === attempts || signal.aborted) throw thrown
    }
    await pause(retryMs * 2 ** (attempt - 1), undefined, { signal })
  }
}

function post(body: string, { url, secret }: WebhookOptions, signal: AbortSignal): Promise<Response> {
  const timestamp = Math.floor(Date.now() / 1_000).toString()
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  const headers = {
    'content-type': 'application/json',
    'x-toolwire-timestamp': timestamp,
    'x-toolwire-signature': `v1=${signature}`,
  }
  // A redirect would lead to a target that the operator has not named.
  return fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' })
}

class WebhookRefusal extends Error {}

type WebhookDecision = { readonly answer: ApprovalAnswer; readonly by: string | undefined }

/** The answer, or nothing of one that is too long. */
async function readAnswer({ body }: Response): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of body ?? []) {
    length += piece.length
    if (length > longestAnswer) return new Uint8Array()
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/** An approval counts only over a connection that nobody on the way can tamper with. */
function readDecision(bytes: Uint8Array, url: string): WebhookDecision | undefined {
  if (bytes.length === 0) return undefined
  const said = parsed(bytes)
  if (!isObject(said)) return undefined
  const { decision, reason, by: name } = said
  const by = typeof name === 'string' && name !== '' ? name.slice(0, 200) : undefined
  if (decision === 'deny') return { answer: typeof reason === 'string' ? { deny: reason } : 'deny', by }
  return decision === 'allow' && isPrivateConnection(new URL(url)) ? { answer: 'allow', by } : undefined
}

function parsed(bytes: Uint8Array): Json {
  try {
    return parseJson(bytes)
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown
    throw new WebhookRefusal(`the answer cannot be read: ${thrown.message}`)
  }
}
