// The tools of upstreams, as tools of this server whose handlers ask the upstream.
import { type AnyTool, relay as relayed } from 'toolwire'
import type { CallResult, RemoteTool } from 'toolwire/client'
import type { Upstream } from '../upstreams/upstream.js'
import { taskSupportOf } from './as-task.js'
import { callerMade } from './caller-made.js'
import { arrived } from './came-by.js'
import type { Holdings } from './holdings.js'
import { longestMs } from './longest.js'
import type { Memo } from './memo.js'
import { isShadowed } from './named-tools.js'
import { whyUnnamed } from './names.js'
import { candidatesOf, type Making, type Offered, settle } from './offered.js'
import { Overheard } from './overheard.js'
import { withPinned } from './pinned.js'
import { relay } from './relay.js'
import { type Shown, shown } from './shown.js'
import { resultOf, toldOf } from './told.js'

/** Of long lists others get their turn meanwhile. */
export async function offeredTools(all: readonly Holdings[], making: Making, memo: Memo<AnyTool>): Promise<Offered<AnyTool>> {
  const { same, done } = memo.begin()
  const held = await making.heldBack(all)
  const ownNames = new Map(all.map((holdings) => [holdings, new Set(holdings.tools.map(({ name }) => name))]))
  const { candidates, withheld } = await candidatesOf<RemoteTool, AnyTool>(
    all,
    ({ tools }) => tools,
    (tool, holdings) => {
      const { upstream } = holdings
      const why = held.get(upstream.id) ?? whyUnnamed(tool.name)
      if (why !== undefined) return { upstream: upstream.id, kind: 'tools', name: tool.name, why }
      const listed = arrived(tool.definition, holdings, making.here)
      const seen = listed && shown(tool, listed, upstream.config)
      if (!seen || !making.wanted(seen.name)) return undefined
      const tasks = taskSupportOf(tool, holdings.capabilities)
      const shadowed = isShadowed(tool.name, seen.name, ownNames.get(holdings) ?? new Set())
      const make = () => toolOf({ upstream, tool, seen, tasks, shadowed }, making)
      const definition = same(`${upstream.id} ${tool.name}`, [seen, tasks, shadowed], make)
      return { upstream, name: tool.name, exposed: seen.name, definition }
    },
  )
  done()
  const offered = settle(candidates, 'tools')
  return { ...offered, withheld: [...withheld, ...offered.withheld] }
}

const failed = ({ isError }: CallResult): boolean => isError === true

type Source = {
  readonly upstream: Upstream
  readonly tool: RemoteTool
  readonly seen: Shown
  readonly tasks: RemoteTool['taskSupport']
  /** Its name for callers is the own name of another tool of the upstream. */
  readonly shadowed: boolean
}

function toolOf(source: Source, { lot, onProgress }: Making): AnyTool {
  const { upstream, tool, seen, tasks, shadowed } = source
  return relayed(seen.listed, {
    hints: seen.hints,
    timeout: longestMs(upstream, { asTask: tasks !== undefined }),
    ...(tasks && { longRunning: tasks }),
    server: upstream.id,
    serverIdentity: upstream.identity.id,
    ownName: tool.name,
    ...(shadowed && { shadowed }),
    run: (args, ctx) => {
      const given = withPinned(args, seen.pinned)
      if (tool.taskSupport) ctx.outlast?.()
      const begin = () => upstream.park<CallResult>(callerMade(ctx), (client, parking) => client.call(tool.name, given, parking))
      const passage = { begin, server: upstream.id, failed, audience: onProgress && new Overheard(ctx, onProgress) }
      return relay(ctx, lot, passage).then((end) => (end.kind === 'end' ? resultOf(end.value) : toldOf(end.why, upstream.id)))
    },
  })
}
