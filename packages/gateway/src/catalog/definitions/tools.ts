// The tools of upstreams, as tools whose handlers call the upstream.

import type { JsonObject } from 'toolwire'
import type { CallResult, RemoteTool } from 'toolwire/client'
import { type AnyTool, relay as relayed } from 'toolwire/relay'
import { isObject } from '../../json/is-object.js'
import { toToolResult } from '../../relay/forwarding.js'
import { type RelayOptions, relayCall } from '../../relay/relay-call.js'
import { requestTimeoutMs } from '../../relay/request-timeout.js'
import { toolResultOf } from '../../relay/upstream-errors.js'
import type { Upstream } from '../../upstreams/upstream.js'
import { unnameableReason } from '../names/exposed-name.js'
import { isShadowed } from '../names/named-tools.js'
import type { UpstreamCatalog } from '../upstream-catalog.js'
import { type ExposedTool, exposedToolOf } from './exposed-tool.js'
import { withFixedArguments } from './fixed-arguments.js'
import { withGatewayPath } from './gateway-loop.js'
import { type Aggregate, type CandidateOrWithheld, type DefinitionContext, type Memoize, settleEntries } from './settle-names.js'

/** spec 2026-07-28, extensions/tasks */
const extension = 'io.modelcontextprotocol/tasks'

/** Support for tasks: declared by tool where clients request tasks; with the extension, any tool may become a task. */
function taskSupportOf({ taskSupport }: RemoteTool, capabilities: JsonObject | undefined): RemoteTool['taskSupport'] {
  const { extensions, tasks } = capabilities ?? {}
  if (isObject(extensions) && extensions[extension] !== undefined) return 'optional'
  const requests = isObject(tasks) ? tasks.requests : undefined
  const takesCalls = isObject(requests) && isObject(requests.tools) && requests.tools.call !== undefined
  return takesCalls ? taskSupport : undefined
}

export const aggregateTools: Aggregate<AnyTool> = async (all, making, memo) => {
  const held = await making.withholdReasons(all)
  function* candidatesOf(upstreamCatalog: UpstreamCatalog, memoize: Memoize<AnyTool>): Generator<CandidateOrWithheld<AnyTool>> {
    const { upstream, tools, capabilities } = upstreamCatalog
    const ownNames = new Set(tools.map(({ name }) => name))
    const candidateOf = (tool: RemoteTool): CandidateOrWithheld<AnyTool> => {
      const { name } = tool
      const why = held.get(upstream.id) ?? unnameableReason(name)
      if (why !== undefined) return { upstream: upstream.id, kind: 'tools', name, why }
      const listed = withGatewayPath(tool.definition, upstreamCatalog, making.ownGatewayId)
      const exposed = listed && exposedToolOf(tool, listed, upstream.config)
      if (!exposed || !making.isWanted(exposed.name)) return undefined
      const tasks = taskSupportOf(tool, capabilities)
      const shadowed = isShadowed(name, exposed.name, ownNames)
      const make = () => toolOf({ upstream, tool, exposed, tasks, shadowed }, making)
      return {
        upstream,
        name,
        exposed: exposed.name,
        definition: memoize(`${upstream.id} ${name}`, [exposed, tasks, shadowed], make),
      }
    }
    for (const tool of tools) yield candidateOf(tool)
  }
  return settleEntries({ all, kind: 'tools', memo, candidatesOf })
}

const isFailure = ({ isError }: CallResult): boolean => isError === true

type Source = {
  readonly upstream: Upstream
  readonly tool: RemoteTool
  readonly exposed: ExposedTool
  readonly tasks: RemoteTool['taskSupport']
  /** Its name for callers equals the own name of another tool of the upstream. */
  readonly shadowed: boolean
}

/** The tool to offer. Its `run` does not refer to the tool as listed, which would then stay in memory for each of thousands of tools. */
function toolOf(source: Source, { suspendedCalls, onProgress }: DefinitionContext): AnyTool {
  const { upstream, tool, exposed, tasks, shadowed } = source
  const { name: ownName, taskSupport } = tool
  const { pinned } = exposed
  const isFixed = Object.keys(pinned).length > 0
  return relayed(exposed.listed, {
    hints: exposed.hints,
    timeout: requestTimeoutMs(upstream, { asTask: tasks !== undefined }),
    ...(tasks && { longRunning: tasks }),
    server: upstream.id,
    serverIdentity: upstream.identity.id,
    ownName,
    ...(shadowed && { shadowed }),
    run: (args, ctx) => {
      const given = isFixed ? withFixedArguments(args, pinned) : args
      if (taskSupport) ctx.promoteToTask?.()
      const ask: RelayOptions<CallResult>['ask'] = (client, options) => client.call(ownName, given, options)
      return relayCall(ctx, suspendedCalls, { upstream, ask, params: given, isFailure, onProgress }).then((end) =>
        end.kind === 'end' ? toToolResult(end.value) : toolResultOf(end.why, upstream.id),
      )
    },
  })
}
