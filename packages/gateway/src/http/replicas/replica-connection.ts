import { type IncomingMessage, request } from 'node:http'
import { bounds } from 'toolwire/relay'
import { type ReplicaAddress, replicaHeader, replicaPath, senderHeader } from './replica-list.js'
import { digestOf, newNonce, openClock, sealRequest } from './replica-seal.js'

/** Thrown if nothing listens at the address, or no replica with the shared key: nothing was done. */
export class ReplicaGone extends Error {
  override name = 'ReplicaGone'
}

/** Thrown if a replica that may be alive has not taken the request, which may be repeated: nothing was done. */
export class ReplicaUnavailable extends Error {
  override name = 'ReplicaUnavailable'
}

/** Thrown if the connection was lost, or timed out, after the request may have been executed. */
export class ReplicaLost extends Error {
  override name = 'ReplicaLost'
}

type SendOptions = {
  /** Timeout for the start of the response, if there is one. */
  readonly answerMs?: number
  /** Stands for the caller of a forwarded request. */
  readonly sender?: string | undefined
  readonly signal: AbortSignal
}

const connectMs = 2_000
const keepAliveMs = 5_000
const mostClocks = 10_000

export type ReplicaSender = ReturnType<typeof replicaSender>

export function replicaSender({ key, self }: { readonly key: Uint8Array; readonly self: string }) {
  /** The clocks of other replicas, relative to the clock here. */
  const clocks = new bounds.BoundedMap<string, { readonly start: string; readonly ahead: number }>(mostClocks)

  /** One attempt. Returns undefined if the other replica only sent its clock and did nothing else. */
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
    const response = await post(new URL(replicaPath, address), { header: shown, body }, options)
    const said = response.headers[replicaHeader]?.toString()
    if (said === 'taken') return response
    response.resume()
    // The limit on memory comes before the seal, so its answer has no header of a replica.
    if (response.statusCode === 429) throw new ReplicaUnavailable(`${address} has too little memory for the request`)
    const clock = response.statusCode === 409 ? openClock(key, said, nonce) : undefined
    if (!clock) throw new ReplicaGone(`${address} does not accept requests from this replica`)
    clocks.set(id, { start: clock.start, ahead: clock.now - performance.now() })
    return undefined
  }

  /** Asks for the clock of a replica, and for nothing else, so nothing is in doubt if the answer is lost. */
  async function askClock(to: ReplicaAddress, options: SendOptions): Promise<void> {
    try {
      await attempt(to, new Uint8Array(), options)
    } catch (thrown) {
      throw thrown instanceof ReplicaLost ? new ReplicaUnavailable(thrown.message, { cause: thrown }) : thrown
    }
  }

  /** Sends a request; resolves as soon as the response starts. */
  return async (to: ReplicaAddress, body: Uint8Array, options: SendOptions): Promise<IncomingMessage> => {
    // A request with a wrong clock is refused unread, so an empty request first asks for an unknown clock.
    if (!clocks.has(to.id)) await askClock(to, options)
    const response = (await attempt(to, body, options)) ?? (await attempt(to, body, options))
    if (!response) throw new ReplicaGone(`${to.address} keeps restarting`)
    return response
  }
}

type SealedRequest = { readonly header: string; readonly body: Uint8Array }

function post(url: URL, { header, body }: SealedRequest, { answerMs, sender, signal }: SendOptions): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let isConnected = false
    const headers = {
      ...{ [replicaHeader]: header, 'content-type': 'application/octet-stream', 'content-length': body.length },
      ...(sender !== undefined && { [senderHeader]: sender }),
    }
    const sent = request(url, { method: 'POST', headers, agent: false, signal })
    const fail = (why: string) => sent.destroy(isConnected ? new ReplicaLost(why) : new ReplicaUnavailable(why))
    const connecting = setTimeout(fail, connectMs, `${url.host} cannot be reached within ${connectMs} ms`)
    const answering = answerMs === undefined ? undefined : setTimeout(fail, answerMs, `${url.host} did not answer`)
    sent.on('socket', (socket) =>
      socket.once('connect', () => {
        isConnected = true
        clearTimeout(connecting)
        // A machine that has failed sends nothing, so only keep-alive detects it.
        socket.setKeepAlive(true, keepAliveMs)
      }),
    )
    sent.on('error', (thrown: NodeJS.ErrnoException) => {
      clearTimeout(connecting)
      clearTimeout(answering)
      const isOurs = thrown instanceof ReplicaUnavailable || thrown instanceof ReplicaLost
      const Unconnected = thrown.code === 'ECONNREFUSED' ? ReplicaGone : ReplicaUnavailable
      const Failure = isConnected ? ReplicaLost : Unconnected
      reject(isOurs ? thrown : new Failure(`${url.host}: ${thrown.message}`, { cause: thrown }))
    })
    sent.on('response', (response) => {
      clearTimeout(answering)
      resolve(response)
    })
    sent.end(body)
  })
}
