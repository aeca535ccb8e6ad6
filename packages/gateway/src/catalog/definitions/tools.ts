// The tools of upstreams, as tools whose handlers call the upstream.

import { isDeepStrictEqual } from 'node:util'
import { type JsonObject, Refusal } from 'toolwire'
import type { CallResult, RemoteTool } from 'toolwire/client'
import { definitionHash } from 'toolwire/guard'
import { type AnyTool, type ListedTool, relay as relayed, unknownTool } from 'toolwire/relay'
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
        // The own definition, too, because the tool is called only as long as the upstream lists that one.
        definition: memoize(`${upstream.id} ${name}`, [exposed, tasks, shadowed, hashOf(tool)], make),
      }
    }
    for (const tool of tools) yield candidateOf(tool)
  }
  return settleEntries({ all, kind: 'tools', memo, candidatesOf })
}

/** Hash of a tool's own definition, computed once for each that was read. */
const hashOf = ({ definition }: RemoteTool): string => definitionHash({ listed: definition as object as ListedTool })

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
function toolOf(source: Source, { suspendedCalls, onProgress, offered }: DefinitionContext): AnyTool {
  const { upstream, tool, exposed, tasks, shadowed } = source
  const { name: ownName, taskSupport } = tool
  const { name, pinned } = exposed
  const hash = hashOf(tool)
  /** The definition that the caller, the policies and the approver have seen must still be the one in force, here and at the upstream. */
  const checkTool = (listed: RemoteTool): void => {
    const now = offered(name)
    if (!now) throw unknownTool(name)
    if (now !== made.definition && !isSameTool(now, made.definition)) throw definitionChanged(name)
    if (hashOf(listed) === hash) return
    upstream.listAgain()
    throw definitionChanged(name)
  }
  const made = relayed(exposed.listed, {
    hints: exposed.hints,
    timeout: requestTimeoutMs(upstream, { asTask: tasks !== undefined }),
    ...(tasks && { longRunning: tasks }),
    server: upstream.id,
    serverIdentity: upstream.identity.id,
    ownName,
    ...(shadowed && { shadowed }),
    ...(Object.keys(pinned).length > 0 && { fixedArguments: pinned }),
    run: (args, ctx) => {
      if (taskSupport) ctx.promoteToTask?.()
      const ask: RelayOptions<CallResult>['ask'] = (client, options) => client.call(ownName, args, options)
      return relayCall(ctx, suspendedCalls, { upstream, ask, checkTool, params: args, isFailure, onProgress }).then((end) =>
        end.kind === 'end' ? toToolResult(end.value) : toolResultOf(end.why, upstream.id),
      )
    },
  })
  return made
}

type Definition = AnyTool['definition']

/** Is it the same tool of the same server, with the same fixed arguments? A change of the config makes all definitions again. */
const isSameTool = (now: Definition, before: Definition): boolean =>
  now.server === before.server &&
  now.serverIdentity === before.serverIdentity &&
  listedHash(now) === listedHash(before) &&
  isDeepStrictEqual(now.fixedArguments, before.fixedArguments)

const listedHash = ({ relayed: listed }: Definition): string | undefined => listed && definitionHash({ listed })

const definitionChanged = (name: string): Refusal =>
  new Refusal('definition-changed', `${name} has changed since the call was checked, so it was not sent. List the tools again`)
