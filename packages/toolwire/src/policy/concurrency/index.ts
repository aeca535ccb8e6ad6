import { type Caller, isCrowd, localUser } from '../../tools/caller.js'
import { checkOptions, optionsOf } from '../../tools/checks/known-options.js'
import { atLeast, someObject } from '../../tools/checks/option-values.js'
import type { ToolCall } from '../../tools/tool.js'
import type { Policy } from '../policy.js'
import { type ConcurrencyKey, ConcurrencyLimit } from './concurrency-limit.js'
import { type CountedPlace, type SharedTurns, takeSharedPlaces } from './shared-turns.js'

export type ConcurrencyOptions = {
  /** Maximum number of calls in total; 2,000 by default. */
  all?: number
  /** Maximum for each caller that is verified, or that counts as one; 64 by default. */
  each?: number
  /** Maximum for each upstream server; 32 by default. A caller that is verified, or that counts as one, takes half of them at most. */
  perServer?: number
  /** Maximum for each tool; the same as `all` by default. */
  perTool?: number
  /** Maximum number of waiting calls for each upstream server, and for tools of this server itself; 256 by default. */
  queue?: number
  /** Maximum wait in milliseconds; 60,000 by default. */
  waitMs?: number
  /** Counts the calls of all replicas, except for `queue`. While it cannot be reached, each process counts its own. */
  shared?: SharedTurns
}

const known = optionsOf<ConcurrencyOptions>()({
  'all each perServer perTool': atLeast(1),
  'queue waitMs': atLeast(0),
  shared: someObject,
})

/**
 * Bounds how many calls run at once. Waiting calls take turns by caller, and a cancelled call leaves the queue. A call holds
 * its place until it has ended or was aborted. Inside of `timeout`, waiting counts toward the time of the call.
 *
 * @example
 * ```ts
 * const policies = [concurrency({ each: 4 })]
 * ```
 */
export function concurrency(options: ConcurrencyOptions = {}): Policy {
  checkOptions('`concurrency`', options, known)
  const { all = 2_000, each = 64, perServer = 32, perTool = all, queue = 256, waitMs = 60_000, shared } = options
  const limits = { all, each, perServer, perShare: Math.ceil(perServer / 2), perTool }
  const turns = new ConcurrencyLimit({ ...limits, queue, waitMs })
  return {
    name: 'concurrency',
    async call(call, next) {
      const place = concurrencyKeyOf(call)
      const { cancelToken: stopping } = call.context
      const turn = turns.enter(place, stopping)
      if (turn) await turn
      let leaveShared: (() => void) | undefined
      let hasLeft = false
      const leave = () => {
        if (hasLeft) return
        hasLeft = true
        turns.leave(place)
        leaveShared?.()
      }
      stopping.addEventListener('abort', leave)
      try {
        if (shared)
          leaveShared = await takeSharedPlaces(shared, countedOf(place, limits), { signal: call.context.signal, waitMs })
        if (hasLeft) leaveShared?.()
        return await next(call)
      } finally {
        stopping.removeEventListener('abort', leave)
        leave()
      }
    },
  }
}

type Counts = Readonly<Record<'all' | 'each' | 'perServer' | 'perShare' | 'perTool', number>>

/** The counts that the call is part of. Callers who share a name are not one caller. */
function countedOf({ caller, server, share, tool }: ConcurrencyKey, limits: Counts): readonly CountedPlace[] {
  return [
    { key: 'all', most: limits.all },
    ...(isCrowd(caller) ? [] : [{ key: `caller ${caller.id}`, most: limits.each }]),
    ...(server === undefined ? [] : [{ key: `server ${server}`, most: limits.perServer }]),
    ...(share === undefined ? [] : [{ key: `share ${share}`, most: limits.perShare }]),
    ...(tool === undefined ? [] : [{ key: `tool ${tool}`, most: limits.perTool }]),
  ].filter(({ most }) => Number.isFinite(most))
}

const concurrencyKeyOf = ({ caller, server, tool: { name } }: ToolCall): ConcurrencyKey => ({
  caller,
  server,
  share: server !== undefined && leavesRoom(caller) ? `${server}\n${caller.id}` : undefined,
  tool: `${server ?? ''}\n${name}`,
})

/** The user of a pipe, or of a client, has no other callers to leave room for. */
const leavesRoom = (caller: Caller): boolean => caller !== localUser && !isCrowd(caller)
