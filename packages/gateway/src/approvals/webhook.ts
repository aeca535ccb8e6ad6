// Sends pending calls to another program, which may decide them in its response. Meanwhile other people can decide too.
import { createHmac } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Json } from 'toolwire'
import type { ApprovalAnswer, PendingApproval } from 'toolwire/guard'
import { bounds, JsonError, parseJson, wire } from 'toolwire/relay'
import { abortAfter } from '../bounds/abort-after.js'
import { isPrivateConnection } from '../config/own-address.js'
import { isObject } from '../json/is-object.js'

export type WebhookOptions = {
  readonly url: string
  /** The key of the signature: HMAC-SHA256 over the timestamp, a dot and the body. */
  readonly secret: string
  /** The pending call, or undefined if it is no longer pending. */
  readonly read: (id: string) => Promise<PendingApproval | undefined>
  /** `by` is the person that the program names, as callers are named. */
  readonly decide: (id: string, answer: ApprovalAnswer, by: string | undefined) => Promise<unknown>
  readonly onTrouble: (words: string) => void
}

const attempts = 4
/** Delay before the second attempt; it doubles with each further one. */
const retryMs = 1_000
const longestAnswer = 65_536

/** Maximum characters of the requests that are open. The program may answer only after minutes, and a call may have megabytes. */
const mostOpen = 67_108_864
/** Short requests are always sent, so that long ones cannot keep them from being sent. */
const smallCharacters = 16 * 1024

/** A request that was read and did not have room. */
type LongRequest = { readonly caller: string; readonly characters: number }

export function approvalWebhook(options: WebhookOptions, mostCharacters = mostOpen) {
  const room = bounds.sharedRoom({ each: mostCharacters / 2, all: mostCharacters })
  const running = new Map<string, AbortController>()
  /** Calls whose requests were not begun. Their arguments stay in the store. */
  const waiting = new Map<string, LongRequest | undefined>()
  let isReading = false

  function nextWaiting(): string | undefined {
    for (const [id, long] of waiting) if (!long || room.hasRoom(long.caller, long.characters)) return id
    return undefined
  }

  /** Reads one call at a time, because its size is known only then. */
  async function sendNext(): Promise<void> {
    const id = isReading ? undefined : nextWaiting()
    if (id === undefined) return
    waiting.delete(id)
    const over = new AbortController()
    running.set(id, over)
    isReading = true
    const one = await options.read(id).catch((thrown) => options.onTrouble(failed(id, thrown)))
    isReading = false
    if (one && !over.signal.aborted) begin(one, over.signal)
    else running.delete(id)
    void sendNext()
  }

  function begin(one: PendingApproval, over: AbortSignal): void {
    const body = JSON.stringify({ type: 'approval.pending', approval: one })
    const { id, caller } = one
    if (body.length <= smallCharacters) return void send(one, { body, over })
    if (room.hasRoom(caller, body.length)) return void send(one, { body, over, free: room.take(caller, body.length) })
    running.delete(id)
    waiting.set(id, { caller, characters: body.length })
  }

  type Sending = { readonly body: string; readonly over: AbortSignal; readonly free?: () => void }

  async function send(one: PendingApproval, { body, over, free }: Sending): Promise<void> {
    const signal = abortAfter(over, Math.max(1, one.expiresAt - Date.now()))
    try {
      const answer = await sendWithRetries(body, options, signal)
      if (answer) await options.decide(one.id, answer.answer, answer.by)
    } catch (thrown) {
      if (!signal.aborted) options.onTrouble(failed(one.id, thrown as Error))
    }
    running.delete(one.id)
    free?.()
    void sendNext()
  }

  return {
    /** Sends the call in the background. */
    asked(id: string): void {
      if (!running.has(id) && !waiting.has(id)) waiting.set(id, undefined)
      void sendNext()
    },
    /** Ends the request for a call that is no longer pending. */
    settled(id: string): void {
      waiting.delete(id)
      running.get(id)?.abort()
    },
    close(): void {
      waiting.clear()
      for (const over of running.values()) over.abort()
    },
  }
}

const failed = (id: string, { message }: Error): string => `The approval webhook failed for ${id}: ${message}`

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
  // A person may take longer to decide than Node's own `fetch` waits.
  return wire.fetchWithoutTimeouts(url, { method: 'POST', headers, body, signal, redirect: 'error' })
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
