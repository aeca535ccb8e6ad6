// Forwards requests to the replica that holds their session or call.
import type { IncomingMessage } from 'node:http'
import type { types } from 'toolwire/relay'
import { senderOf } from '../sender.js'
import { encodeForwarded } from './forwarded-message.js'
import { relayResponse, respondWithError } from './relay-response.js'
import { ReplicaGone, type ReplicaSender, ReplicaUnavailable } from './replica-connection.js'
import { findLiveReplica, findReplica, type ReplicaAddress, type ReplicaList } from './replica-list.js'

/** Limit of concurrent requests that wait for another replica, including streams. */
const mostForwarded = 4_096
/** Limits of concurrent notices, and of concurrent replicas for each. Further notices are dropped, because any notice may be lost. */
const maxNotices = 256
const maxReplicasAtOnce = 16
const noticeMs = 3_000
/** Timeout for a request that needs no work. */
const responseMs = 5_000
/** Interval for checking that replicas with open requests are still alive. */
const checkEveryMs = 500

type ReplicaRoutesOptions = { readonly list: ReplicaList; readonly send: ReplicaSender }

export function replicaRoutes({ list, send }: ReplicaRoutesOptions): types.ReplicaRoutes {
  const { self } = list
  const watch = aliveWatch(list)
  let forwarded = 0
  let notices = 0
  const others = () => list.all().filter(({ id }) => id !== self)

  async function forwardTo(to: ReplicaAddress, request: types.ForwardedRequest): Promise<boolean> {
    const { exchange, holdsRequest, isAnsweredOnStream } = request
    const over = new AbortController()
    const stop = watch(to.id, over)
    exchange.onGone(() => over.abort())
    try {
      const mayWork = exchange.method === 'GET' || (holdsRequest && !isAnsweredOnStream)
      const answerMs = mayWork ? {} : { answerMs: responseMs }
      const options = { ...answerMs, sender: senderOf(exchange), signal: over.signal }
      const response = await send(to, encodeForwarded(request), options)
      await relayResponse(response, exchange)
      return true
    } catch (thrown) {
      const isUntaken = thrown instanceof ReplicaUnavailable
      if (thrown instanceof ReplicaGone || (isUntaken && !(await findLiveReplica(list, to.id)))) return false
      respondWithError(request, !isUntaken)
      return true
    } finally {
      stop()
    }
  }

  async function sendNotice(to: ReplicaAddress, body: Uint8Array): Promise<void> {
    try {
      const response: IncomingMessage = await send(to, body, { answerMs: noticeMs, signal: AbortSignal.timeout(noticeMs) })
      response.resume()
    } catch {
      // The replica has gone, and its running calls with it.
    }
  }

  return {
    async forward(request, to) {
      const replica = await findReplica(list, to)
      if (!replica) return false
      if (forwarded >= mostForwarded) {
        respondWithError(request, false)
        return true
      }
      forwarded++
      try {
        return await forwardTo(replica, request)
      } finally {
        forwarded--
      }
    },
    async tell(request, to) {
      if (notices >= maxNotices) return
      notices++
      try {
        const body = encodeForwarded(request)
        const left = to === undefined ? others() : [await findReplica(list, to)]
        const tellNext = async (): Promise<void> => {
          for (let next = left.pop(); next; next = left.pop()) await sendNotice(next, body)
        }
        await Promise.all(Array.from({ length: maxReplicasAtOnce }, tellNext))
      } finally {
        notices--
      }
    },
  }
}

/** Aborts requests that wait for a replica which is no longer alive. One timer serves all, and runs only while a request waits. */
function aliveWatch(list: Pick<ReplicaList, 'all'>) {
  const waiting = new Map<AbortController, string>()
  let timer: ReturnType<typeof setInterval> | undefined
  const look = () => {
    const alive = new Set(list.all().map(({ id }) => id))
    for (const [gone, id] of waiting) if (!alive.has(id)) gone.abort()
  }
  return (id: string, gone: AbortController): (() => void) => {
    waiting.set(gone, id)
    timer ??= setInterval(look, checkEveryMs).unref()
    return () => {
      waiting.delete(gone)
      if (waiting.size > 0) return
      clearInterval(timer)
      timer = undefined
    }
  }
}
