import { definitionError } from '../../tools/checks/definition-error.js'
import { checkOptions, optionsOf } from '../../tools/checks/known-options.js'
import type { ToolCall } from '../../tools/tool.js'
import type { Policy } from '../policy.js'
import { type ConcurrencyKey, ConcurrencyLimit } from './concurrency-limit.js'

/** How many calls may be made at once. */
export type ConcurrencyOptions = {
  /** In all; 2,000 if not said. */
  all?: number
  /** For each caller whom somebody has verified, or who counts as one; 64 if not said. */
  each?: number
  /** To each server that is called from here; 32 if not said. */
  perServer?: number
  /** Of each tool; as many as there may be in all if not said. */
  perTool?: number
  /** How many more may wait for each server that is called from here, and how many for what is done here; 256 if not said. */
  queue?: number
  /** Milliseconds that one may wait; 60,000 if not said. */
  waitMs?: number
}

const known = optionsOf<ConcurrencyOptions>()('all each perServer perTool queue waitMs')

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
  const { all = 2_000, each = 64, perServer = 32, perTool = all, queue = 256, waitMs = 60_000 } = options
  for (const [name, value] of Object.entries({ all, each, perServer, perTool }))
    if (!(value >= 1)) throw definitionError(`concurrency: ${name} is a number, 1 or more`)
  const turns = new ConcurrencyLimit({ all, each, perServer, perTool, queue, waitMs })
  return {
    name: 'concurrency',
    async call(call, next) {
      const place = concurrencyKeyOf(call)
      const turn = turns.enter(place, call.context)
      if (turn) await turn
      let hasLeft = false
      const leave = () => {
        if (!hasLeft) turns.leave(place)
        hasLeft = true
      }
      const { cancelToken: stopping } = call.context
      stopping.addEventListener('abort', leave)
      try {
        return await next(call)
      } finally {
        stopping.removeEventListener('abort', leave)
        leave()
      }
    },
  }
}

const concurrencyKeyOf = ({ caller, server, tool: { name } }: ToolCall): ConcurrencyKey => ({
  caller,
  server,
  tool: `${server ?? ''}\n${name}`,
})
