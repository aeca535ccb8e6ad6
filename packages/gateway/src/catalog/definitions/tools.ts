// The tools of upstreams, as tools of this server whose handlers ask the upstream.

import type { JsonObject } from 'toolwire'
import type { CallResult, RemoteTool } from 'toolwire/client'
import { type AnyTool, relay as relayed } from 'toolwire/relay'
import { isObject } from '../../json/is-object.js'
import { callerRequest, toToolResult } from '../../relay/forwarding.js'
import { relayCall } from '../../relay/relay-call.js'
import { requestTimeoutMs } from '../../relay/request-timeout.js'
import { toolResultOf } from '../../relay/upstream-errors.js'
import type { Upstream } from '../../upstreams/upstream.js'
import type { DefinitionMemo } from '../definition-memo.js'
import { unnameableReason } from '../names/exposed-name.js'
import { isShadowed } from '../names/named-tools.js'
import type { UpstreamCatalog } from '../upstream-catalog.js'
import { type ExposedTool, exposedToolOf } from './exposed-tool.js'
import { withFixedArguments } from './fixed-arguments.js'
import { withGatewayPath } from './gateway-loop.js'
import { candidatesOf, type DefinitionContext, type SettledEntries, settleNames } from './settle-names.js'

/** spec 2026-07-28, extensions/tasks */
const extension = 'io.modelcontextprotocol/tasks'

/**
 * What the upstream says about it: tool by tool where clients ask for tasks; where servers make them as they see fit, any tool may take
 * as long.
 */
function taskSupportOf({ taskSupport }: RemoteTool, capabilities: JsonObject | undefined): RemoteTool['taskSupport'] {
  const { extensions, tasks } = capabilities ?? {}
  if (isObject(extensions) && extensions[extension] !== undefined) return 'optional'
  const requests = isObject(tasks) ? tasks.requests : undefined
  const takesCalls = isObject(requests) && isObject(requests.tools) && requests.tools.call !== undefined
  return takesCalls ? taskSupport : undefined
}

/** Of long lists others get their turn meanwhile. */
export async function aggregateTools(
  all: readonly UpstreamCatalog[],
  making: DefinitionContext,
  memo: DefinitionMemo<AnyTool>,
): Promise<SettledEntries<AnyTool>> {
  const { same, done } = memo.begin()
  const held = await making.heldBack(all)
  const ownNames = new Map(
    all.map((upstreamCatalog) => [upstreamCatalog, new Set(upstreamCatalog.tools.map(({ name }) => name))]),
  )
  const { candidates, withheld } = await candidatesOf<RemoteTool, AnyTool>(
    all,
    ({ tools }) => tools,
    (tool, upstreamCatalog) => {
      const { upstream } = upstreamCatalog
      const why = held.get(upstream.id) ?? unnameableReason(tool.name)
      if (why !== undefined) return { upstream: upstream.id, kind: 'tools', name: tool.name, why }
      const listed = withGatewayPath(tool.definition, upstreamCatalog, making.ownGatewayId)
      const seen = listed && exposedToolOf(tool, listed, upstream.config)
      if (!seen || !making.wanted(seen.name)) return undefined
      const tasks = taskSupportOf(tool, upstreamCatalog.capabilities)
      const shadowed = isShadowed(tool.name, seen.name, ownNames.get(upstreamCatalog) ?? new Set())
      const make = () => toolOf({ upstream, tool, seen, tasks, shadowed }, making)
      const definition = same(`${upstream.id} ${tool.name}`, [seen, tasks, shadowed], make)
      return { upstream, name: tool.name, exposed: seen.name, definition }
    },
  )
  done()
  const offered = settleNames(candidates, 'tools')
  return { ...offered, withheld: [...withheld, ...offered.withheld] }
}

const failed = ({ isError }: CallResult): boolean => isError === true

type Source = {
  readonly upstream: Upstream
  readonly tool: RemoteTool
  readonly seen: ExposedTool
  readonly tasks: RemoteTool['taskSupport']
  /** Its name for callers is the own name of another tool of the upstream. */
  readonly shadowed: boolean
}

function toolOf(source: Source, { suspendedCalls: lot, onProgress }: DefinitionContext): AnyTool {
  const { upstream, tool, seen, tasks, shadowed } = source
  const isFixed = Object.keys(seen.pinned).length > 0
  return relayed(seen.listed, {
    hints: seen.hints,
    timeout: requestTimeoutMs(upstream, { asTask: tasks !== undefined }),
    ...(tasks && { longRunning: tasks }),
    server: upstream.id,
    serverIdentity: upstream.identity.id,
    ownName: tool.name,
    ...(shadowed && { shadowed }),
    run: (args, ctx) => {
      const given = isFixed ? withFixedArguments(args, seen.pinned) : args
      if (tool.taskSupport) ctx.promoteToTask?.()
      const begin = () =>
        upstream.beginSuspendable<CallResult>(callerRequest(ctx), (client, suspensibleOptions) =>
          client.call(tool.name, given, suspensibleOptions),
        )
      const passage = { begin, server: upstream.id, failed, onProgress }
      return relayCall(ctx, lot, passage).then((end) =>
        end.kind === 'end' ? toToolResult(end.value) : toolResultOf(end.why, upstream.id),
      )
    },
  })
}
