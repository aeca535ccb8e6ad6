// Sends one request to another replica.
import { type IncomingMessage, request } from 'node:http'
import { type ReplicaAddress, replicaHeader, replicaPath } from './replica-list.js'
import { digestOf, newNonce, openClock, sealRequest } from './replica-seal.js'

/** Nobody is there, or nobody who knows the key: nothing has been done. */
export class ReplicaGone extends Error {
  override name = 'ReplicaGone'
}

/** The connection was lost, or took too long, when it may have been done. */
export class ReplicaLost extends Error {
  override name = 'ReplicaLost'
}

type SendOptions = {
  /** How long its answer may take to begin, where that is known. */
  readonly answerMs?: number
  readonly signal: AbortSignal
}

const connectMs = 2_000
const keepAliveMs = 5_000

export type ReplicaSender = ReturnType<typeof replicaSender>

export function replicaSender({ key, self }: { readonly key: Uint8Array; readonly self: string }) {
  /** What each replica has said of its clock, against the clock here. */
  const clocks = new Map<string, { readonly start: string; readonly ahead: number }>()

  /** One attempt; gives nothing where the other has corrected the clock, and done nothing. */
  async function attempt(
    { id, address }: ReplicaAddress,
    body: Uint8Array,
    options: SendOptions,
  ): Promise<IncomingMessage | undefined> {
    const { start = 'unknown', ahead = 0 } = clocks.get(id) ?? {}
    const nonce = newNonce()
    const now = Math.max(0, Math.round(performance.now() + ahead))
    const stamp = { from: self, start, now, nonce, digest: digestOf(body) }
    const shown = sealRequest(key, { method: 'POST', path: replicaPath, to: id }, stamp)
    const response = await post(new URL(replicaPath, address), { shown, body }, options)
    const said = response.headers[replicaHeader]?.toString()
    if (said === 'taken') return response
    response.resume()
    const clock = response.statusCode === 409 ? openClock(key, said, nonce) : undefined
    if (!clock) throw new ReplicaGone(`${address} does not take requests of this replica`)
    remember(id, { start: clock.start, ahead: clock.now - performance.now() })
    return undefined
  }

  function remember(id: string, clock: { readonly start: string; readonly ahead: number }): void {
    clocks.delete(id)
    clocks.set(id, clock)
    for (const oldest of clocks.keys()) {
      if (clocks.size <= mostClocks) return
      clocks.delete(oldest)
    }
  }

  /** The answer of the other replica, as soon as it begins. */
  return async (to: ReplicaAddress, body: Uint8Array, options: SendOptions): Promise<IncomingMessage> => {
    // What is not admitted is not read, so where the clock is not known a short request asks for it.
    if (!clocks.has(to.id)) await attempt(to, new Uint8Array(), options)
    const response = (await attempt(to, body, options)) ?? (await attempt(to, body, options))
    if (!response) throw new ReplicaGone(`${to.address} is started again and again`)
    return response
  }
}

const mostClocks = 10_000

type Posted = { readonly shown: string; readonly body: Uint8Array }

function post(url: URL, { shown, body }: Posted, { answerMs, signal }: SendOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let isConnected = false
    const headers = { [replicaHeader]: shown, 'content-type': 'application/octet-stream', 'content-length': body.length }
    const sent = request(url, { method: 'POST', headers, agent: false, signal })
    const fail = (why: string) => sent.destroy(isConnected ? new ReplicaLost(why) : new ReplicaGone(why))
    const connecting = setTimeout(fail, connectMs, `${url.host} cannot be reached within ${connectMs} ms`)
    const answering = answerMs === undefined ? undefined : setTimeout(fail, answerMs, `${url.host} has not answered`)
    sent.on('socket', (socket) =>
      socket.once('connect', () => {
        isConnected = true
        clearTimeout(connecting)
        // A machine that is gone says nothing.
        socket.setKeepAlive(true, keepAliveMs)
      }),
    )
    sent.on('error', (thrown) => {
      clearTimeout(connecting)
      clearTimeout(answering)
      const isOurs = thrown instanceof ReplicaGone || thrown instanceof ReplicaLost
      const Failure = isConnected ? ReplicaLost : ReplicaGone
      reject(isOurs ? thrown : new Failure(`${url.host}: ${thrown.message}`, { cause: thrown }))
    })
    sent.on('response', (response) => {
      clearTimeout(answering)
      resolve(response)
    })
    sent.end(body)
  })
}
