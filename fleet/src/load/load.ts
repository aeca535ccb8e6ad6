// Continuous calls from clients of all revisions, with their answers.
import { setTimeout as pause } from 'node:timers/promises'
import type { Cluster } from '../cluster/cluster.js'
import type { Event } from '../history.js'
import { pick } from '../random.js'
import { plainTools } from '../upstreams/work-server.js'
import { type Caller, callersOf, newestCaller } from './callers.js'
import { startDeciders } from './deciders.js'

export type Load = {
  /** Milliseconds until each client got a result again; null for a client that did not. */
  recovered(): Promise<readonly { readonly client: string; readonly ms: number | null }[]>
  /** Stops sending, and waits for the pending answers. */
  stop(): Promise<void>
}

type Loading = { readonly cluster: Cluster; readonly random: () => number; readonly note: (event: Event) => void }

const recoveryMs = 15_000

export function startLoad({ cluster, random, note }: Loading): Load {
  let isOver = false
  let last = 0
  const served = new Map<string, number>()
  const lanes: Promise<void>[] = []
  const callers: Caller[] = []

  async function attempt(caller: Caller, tool: string, call: string, number: number): Promise<string> {
    const { name: client, revision } = caller
    const about = { call, attempt: number, client }
    note({ kind: 'sent', ...about, revision, tool: tool.replace(/^.*__/, ''), at: Date.now() })
    const { how, text } = await caller.call(tool, call)
    note({ kind: 'answered', ...about, how, text, at: Date.now() })
    if (how === 'done') served.set(client, performance.now())
    return how
  }

  const next = () => `call-${++last}`
  const server = () => pick(['web', 'pipe'], random)

  async function plainLane(caller: Caller): Promise<void> {
    while (!isOver) {
      await attempt(caller, `${server()}__${pick(plainTools, random)}`, next(), 1)
      await pause(random() * 40)
    }
  }

  /** Repeats a call that was not decided in time, from two clients at the same moment. */
  async function riskyLane(caller: Caller, other: Caller): Promise<void> {
    while (!isOver) {
      const [tool, call] = [`${server()}__risky`, next()]
      if ((await attempt(caller, tool, call, 1)) === 'refused' && !isOver) {
        await pause(1_000)
        await Promise.all([attempt(caller, tool, call, 2), attempt(other, tool, call, 3)])
      }
      await pause(random() * 200)
    }
  }

  async function limitedLane(caller: Caller): Promise<void> {
    while (!isOver) {
      await attempt(caller, 'web__limited', next(), 1)
      await pause(30)
    }
  }

  const deciders = startDeciders({ replicas: cluster.replicas, random, note })
  const mixed = callersOf(cluster, note)
  const hasty = newestCaller(cluster, 'hasty')
  callers.push(...mixed, hasty)
  for (const [at, caller] of mixed.entries()) {
    lanes.push(plainLane(caller))
    if (at % 2 === 0) lanes.push(riskyLane(caller, mixed[(at + 3) % mixed.length] ?? caller))
  }
  lanes.push(limitedLane(hasty), limitedLane(hasty), limitedLane(hasty))

  return {
    async recovered() {
      const since = performance.now()
      const waiting = mixed.map(async ({ name }) => {
        for (;;) {
          const at = served.get(name) ?? 0
          if (at > since) return { client: name, ms: Math.round(at - since) }
          if (performance.now() > since + recoveryMs) return { client: name, ms: null }
          await pause(20)
        }
      })
      return Promise.all(waiting)
    },
    async stop() {
      isOver = true
      await Promise.all(lanes)
      await deciders.stop()
      await Promise.all(callers.map((caller) => caller.close()))
    },
  }
}
