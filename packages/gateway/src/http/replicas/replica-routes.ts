// Passes requests on to the replica that has what they are about.
import type { IncomingMessage } from 'node:http'
import type { types } from 'toolwire/relay'
import { encodeForwarded } from './forwarded-message.js'
import { relayResponse, respondWithError } from './relay-response.js'
import { ReplicaGone, type ReplicaSender } from './replica-connection.js'
import type { ReplicaAddress, ReplicaList } from './replica-list.js'

/** Requests that wait for another replica at once, streams among them. */
const mostForwarded = 4_096
/** So many messages that need no answer are told at once, each to so many replicas; more messages are dropped, as they may be lost at any time. */
const mostTold = 256
const toldAtOnce = 16
const tellMs = 3_000
/** How long what needs no work may take. */
const noticeMs = 5_000
/** How often it is looked whether a replica that has not answered is still alive. */
const lookEveryMs = 500

type ReplicaRoutesOptions = { readonly list: ReplicaList; readonly send: ReplicaSender }

export function replicaRoutes({ list, send }: ReplicaRoutesOptions): types.ReplicaRoutes {
  const { self } = list
  const watch = aliveWatch(list)
  let forwarded = 0
  let told = 0
  const others = () => list.all().filter(({ id }) => id !== self)
  const known = (id: string) => others().find((replica) => replica.id === id)

  /** One that has come just now is not in the list yet. */
  async function find(id: string): Promise<ReplicaAddress | undefined> {
    const found = known(id)
    if (found || !list.refresh) return found
    // Without the list, the ones that were alive before are all that is known.
    await list.refresh().catch(() => undefined)
    return known(id)
  }

  async function forwardTo(to: ReplicaAddress, request: types.ForwardedRequest): Promise<boolean> {
    const { exchange, id } = request
    const over = new AbortController()
    const stop = watch(to.id, over)
    exchange.onGone(() => over.abort())
    try {
      const isCall = id !== undefined || exchange.method === 'GET'
      const answerMs = isCall ? {} : { answerMs: noticeMs }
      const response = await send(to, encodeForwarded(request), { ...answerMs, signal: over.signal })
      await relayResponse(response, exchange)
      return true
    } catch (thrown) {
      if (thrown instanceof ReplicaGone) return false
      respondWithError(request, true)
      return true
    } finally {
      stop()
    }
  }

  async function tellOne(to: ReplicaAddress, body: Uint8Array): Promise<void> {
    try {
      const response: IncomingMessage = await send(to, body, { answerMs: tellMs, signal: AbortSignal.timeout(tellMs) })
      response.resume()
    } catch {
      // It cannot be told any more: what it had under way ends with it.
    }
  }

  return {
    async forward(request, to) {
      const replica = await find(to)
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
      if (told >= mostTold) return
      told++
      try {
        const body = encodeForwarded(request)
        const left = to === undefined ? others() : [await find(to)]
        const tellNext = async (): Promise<void> => {
          for (let next = left.pop(); next; next = left.pop()) await tellOne(next, body)
        }
        await Promise.all(Array.from({ length: toldAtOnce }, tellNext))
      } finally {
        told--
      }
    },
  }
}

/** Aborts what waits for a replica when that is no longer alive. Looks once for all, and only while anything waits. */
function aliveWatch(list: Pick<ReplicaList, 'all'>) {
  const waiting = new Map<AbortController, string>()
  let timer: ReturnType<typeof setInterval> | undefined
  const look = () => {
    const alive = new Set(list.all().map(({ id }) => id))
    for (const [gone, id] of waiting) if (!alive.has(id)) gone.abort()
  }
  return (id: string, gone: AbortController): (() => void) => {
    waiting.set(gone, id)
    timer ??= setInterval(look, lookEveryMs).unref()
    return () => {
      waiting.delete(gone)
      if (waiting.size > 0) return
      clearInterval(timer)
      timer = undefined
    }
  }
}
