import type { Caller, JsonObject, Server } from 'toolwire'
import type { AuditLog, ReadyTool } from 'toolwire/guard'
import { mayUseSet } from '../../access/authenticate.js'
import { localCaller } from '../../access/local-callers.js'
import { createApprovals } from '../../approvals/approval-queue.js'
import type { ApprovalDecisions } from '../../approvals/decide-approvals.js'
import type { AggregateServers } from '../../catalog/aggregate-servers.js'
import type { NameCheck } from '../../catalog/missing-names/name-check.js'
import { describeConfig } from '../../config/describe-config.js'
import type { GatewayConfig } from '../../config/gateway-config.js'
import { acceptPolicy } from '../../config/trust/found-policy.js'
import { untrustedServers } from '../../config/trust/trust-messages.js'
import type { Guard } from '../../guard/guard.js'
import type { PinRegistry } from '../../guard/pins/pin-registry.js'
import { createPolicyEditor } from '../../guard/policy/policy-editor.js'
import type { PolicyFile } from '../../guard/policy/policy-file.js'
import { ruleSubjectOf, type ToolDetails, type ToolView, toolDetails, toolViewOf } from '../../guard/tools/describe-tool.js'
import type { RegisteredTools } from '../../guard/tools/registered-tools.js'
import type { ToolStates } from '../../guard/tools/tool-states.js'
import type { ToolState } from '../../guard/tools/tool-view.js'
import { withoutUndefined } from '../../json/without-undefined.js'
import type { CallObserver } from '../../monitoring/call-observer.js'
import type { ShownArguments } from '../../monitoring/calls/shown-arguments.js'
import type { EventFeed } from '../../monitoring/event-feed.js'
import type { Metrics } from '../../monitoring/metrics.js'
import type { BoundedRecords } from '../../store/audit/bounded-records.js'
import type { RecordedAction } from '../../store/audit/record-action.js'
import type { Store } from '../../store/store.js'
import type { UpstreamLogins } from '../../upstreams/logins/upstream-logins.js'
import type { UpstreamSet } from '../../upstreams/upstream-set.js'
import { toolTrials } from '../tool-trials.js'
import type { ApiCalls } from './api-calls.js'
import { type CallView, callViewOf, cancelCall } from './call-control.js'
import type { CallRequest, GatewayHealth, ServerView } from './control.js'
import { serverViewOf, untrustedServerView } from './status-views.js'

type ControlParts = {
  readonly version: string
  readonly store: Store
  readonly log: () => AuditLog | undefined
  readonly events: EventFeed
  readonly metrics: Metrics
  readonly decisions: ApprovalDecisions
  readonly observer: CallObserver
  readonly showArguments: ShownArguments
  readonly registered: RegisteredTools
  readonly states: ToolStates
  readonly upstreams: UpstreamSet
  readonly endpoints: AggregateServers
  readonly policy: PolicyFile
  readonly guard: Guard
  readonly pins: PinRegistry
  readonly records: BoundedRecords
  readonly apiCalls: ApiCalls
  readonly names: NameCheck
  readonly logins: UpstreamLogins
  readonly config: () => GatewayConfig
  readonly health: () => GatewayHealth
  readonly restart: (id: string) => Promise<boolean>
}

export function createControl(parts: ControlParts) {
  const { version, store, events, metrics, decisions, observer, policy, endpoints, pins, states, config } = parts
  const server: Server = endpoints.everything.server
  const tools = (): readonly ReadyTool[] => server.tools.all
  const isOpen = (tool: ReadyTool) => parts.guard.pinning?.isOpen(tool) ?? true
  return {
    version,
    store,
    /** The audit log, unless it is switched off. */
    get log() {
      return parts.log()
    },
    /** Records a refused request; of many, only their number. */
    refused: (one: RecordedAction) => parts.records.note(one),
    events,
    metrics,
    decisions,
    health: parts.health,
    /** Returns false if there is no such upstream. */
    restart: parts.restart,
    config: () => describeConfig(config()),
    servers: serverViews(parts, tools),
    /** True if the caller may know of the server: an endpoint for the caller has it, and the rules do not hide all of it. */
    seesServer(caller: Caller, id: string): boolean {
      const book = policy.current
      const isShown = (tool: ReadyTool) => tool.definition.server === id && !book.hides(tool, caller, id)
      if (book.hidesServer(id, caller) && !tools().some(isShown)) return false
      return mayUseSet(caller, undefined) || endpoints.offers(id, (set) => mayUseSet(caller, set))
    },
    tools: (): readonly ToolView[] => tools().map((tool) => toolViewOf(tool, isOpen(tool), config())),
    /** The tools, with details about who may call them. */
    toolDetails(): Promise<readonly ToolDetails[]> {
      const known = { store, config: config(), policy, states, pins }
      return Promise.all(tools().map((tool) => toolDetails(tool, isOpen(tool), known)))
    },
    /** Returns false if there is no such tool. */
    async setToolState(name: string, state: ToolState, by: string): Promise<boolean> {
      const tool = tools().find((one) => one.name === name)
      if (!tool) return false
      await states.set(tool, state, by)
      // An announcement of this tool alone would not reach callers who can no longer see it.
      endpoints.announce()
      events.add('config', { what: 'tool', server: tool.definition.server ?? '', tool: name, state, by })
      return true
    },
    pins,
    /** Definitions of the upstreams that are not offered. */
    withheld: () => endpoints.everything.withheld.map((one) => ({ ...one })),
    /** Makes a call as that caller, with the full guard. */
    call: (name: string, args: JsonObject, calling: CallRequest) =>
      parts.apiCalls.call(server, { name, args, observer }, calling),
    policy: createPolicyEditor({ policy, names: parts.names, accept: (text) => acceptPolicy(config(), text) }, () => ({
      tools: tools().map(ruleSubjectOf),
      callers: callersKnown(parts),
    })),
    approvals: createApprovals({
      store,
      policy,
      tools,
      isOff: (tool) => states.of(tool) === 'off',
      callerNamed: (id) => observer.callers.get(id),
      isTrusted: (id) => config().upstreams.some((upstream) => upstream.id === id && upstream.trusted),
    }),
    stats: observer.stats,
    tries: toolTrials(),
    calls: (): readonly CallView[] =>
      observer.runningCalls.list().map((call) => callViewOf(call, parts.registered.setOf(call.call.tool), parts.showArguments)),
    /** A running call, without its arguments. */
    findCall(id: number): { readonly id: number; readonly tool: string; readonly caller: string } | undefined {
      const found = observer.runningCalls.find(id)?.call
      return found && { id, tool: found.tool.name, caller: found.caller.id }
    },
    cancel: (id: number, by: string) => cancelCall(observer.runningCalls.find(id), by),
    underWay: () => observer.underWay,
  }
}

function serverViews(parts: ControlParts, tools: () => readonly ReadyTool[]): () => readonly ServerView[] {
  const waits = new Map<string, number>()
  const waitsSince = ({ digest }: { readonly digest: string }): number => {
    const since = waits.get(digest) ?? Date.now()
    waits.set(digest, since)
    return since
  }
  return () => {
    const config = parts.config()
    const offered = tools()
    const untrusted = untrustedServers(config.trust?.waiting ?? []).map((part) => untrustedServerView(part, waitsSince(part)))
    const used = parts.upstreams.all.map((upstream) => {
      const login = parts.logins.view(upstream.config)
      const count = offered.filter(({ definition }) => definition.server === upstream.id).length
      const heldBack = parts.names.withheldServers.get(upstream.id)
      return serverViewOf(upstream, config, withoutUndefined({ tools: count, heldBack, login }))
    })
    return [...used, ...untrusted]
  }
}

/** Known callers: local programs, owners of keys, and recent callers. */
function callersKnown({ observer, store }: ControlParts): readonly Caller[] {
  const holders = store.keys.list().map(({ caller, scopes }) => ({ id: caller, scopes: [...scopes] }))
  const all = new Map<string, Caller>([localCaller, ...holders, ...observer.callers.list()].map((caller) => [caller.id, caller]))
  return [...all.values()].slice(0, mostCallers)
}

const mostCallers = 50
