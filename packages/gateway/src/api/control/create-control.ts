// A gateway as it is seen and managed from outside.
import type { Caller, Server } from 'toolwire'
import type { AuditLog, ReadyTool } from 'toolwire/guard'
import { localCaller } from '../../access/local-callers.js'
import { createApprovals } from '../../approvals/approval-queue.js'
import type { ApprovalDecisions } from '../../approvals/decide-approvals.js'
import type { AggregateServers } from '../../catalog/aggregate-servers.js'
import type { NameCheck } from '../../catalog/missing-names/name-check.js'
import { describeConfig } from '../../config/describe-config.js'
import type { GatewayConfig } from '../../config/gateway-config.js'
import { untrustedServers } from '../../config/trust/trust-messages.js'
import type { PinRegistry } from '../../guard/pins/pin-registry.js'
import type { Pinning } from '../../guard/pins/pinning.js'
import { createPolicyEditor } from '../../guard/policy/create-policy-editor.js'
import type { PolicyFile } from '../../guard/policy/policy-file.js'
import { ruleSubjectOf } from '../../guard/tools/describe-tool.js'
import { recordFirstSeen } from '../../guard/tools/first-seen.js'
import type { RegisteredTools } from '../../guard/tools/registered-tools.js'
import { redactedArgumentsBy } from '../../monitoring/calls/shown-arguments.js'
import type { EventFeed } from '../../monitoring/event-feed.js'
import type { Metrics } from '../../monitoring/metrics.js'
import type { CallObserver } from '../../monitoring/observe-calls.js'
import type { Store } from '../../store/store.js'
import type { UpstreamLogins } from '../../upstreams/logins/upstream-logins.js'
import type { UpstreamSet } from '../../upstreams/upstream-set.js'
import { ToolTrials } from '../tool-trials.js'
import type { ApiCalls } from './api-calls.js'
import { callViewOf, cancelCall } from './call-control.js'
import type { Control, GatewayHealth } from './control.js'
import { serverViewOf, untrustedServerView } from './status-views.js'
import { toolControl } from './tool-control.js'

export type ControlParts = {
  readonly version: string
  readonly store: Store
  readonly log: () => AuditLog | undefined
  readonly events: EventFeed
  readonly metrics: Metrics
  readonly decisions: ApprovalDecisions
  readonly observing: CallObserver
  readonly catalogue: RegisteredTools
  readonly lineUp: UpstreamSet
  readonly endpoints: AggregateServers
  readonly policy: PolicyFile
  readonly pinning: () => Pinning | undefined
  readonly pins: PinRegistry
  readonly ownCalls: ApiCalls
  readonly names: NameCheck
  readonly logins: UpstreamLogins
  readonly config: () => GatewayConfig
  readonly health: () => GatewayHealth
  readonly restart: (id: string) => Promise<boolean>
  readonly refused: Control['refused']
}

export function createControl(shown: ControlParts): Control {
  const { version, store, events, metrics, decisions, observing, policy, lineUp, endpoints, ownCalls } = shown
  const server: Server = endpoints.everything.server
  const tools = (): readonly ReadyTool[] => shown.catalogue.named(server.tools.names)
  recordFirstSeen(shown.catalogue, store.marks)
  observing.log = store.audit
  observing.showArguments = redactedArgumentsBy(policy)
  const waits = new Map<string, number>()
  const waitsSince = ({ digest }: { readonly digest: string }): number => {
    const since = waits.get(digest) ?? Date.now()
    waits.set(digest, since)
    return since
  }
  return {
    ...toolControl(shown, tools),
    version,
    store,
    get log() {
      return shown.log()
    },
    refused: shown.refused,
    events,
    metrics,
    decisions,
    health: shown.health,
    restart: shown.restart,
    config: () => describeConfig(shown.config()),
    servers() {
      const counts = countsOf(tools())
      const untrusted = untrustedServers(shown.config().trust?.waiting ?? []).map((part) =>
        untrustedServerView(part, waitsSince(part)),
      )
      const used = lineUp.all.map((upstream) => {
        const login = shown.logins.view(upstream.config)
        return {
          ...serverViewOf(upstream, shown.config(), {
            tools: counts.get(upstream.id) ?? 0,
            heldBack: shown.names.withheldServers.get(upstream.id),
          }),
          ...(login && { login }),
        }
      })
      return [...used, ...untrusted]
    },
    withheld: () => endpoints.everything.withheld.map((one) => ({ ...one })),
    call: (name, args, calling) => ownCalls.call(server, { name, args, observing }, calling),
    policy: createPolicyEditor({ policy, names: shown.names }, () => ({
      tools: tools().map(ruleSubjectOf),
      callers: callersKnown(shown),
    })),
    approvals: createApprovals({
      store,
      policy,
      tools,
      callerNamed: (id) => observing.callers.get(id),
      isTrusted: (id) => shown.config().upstreams.some((upstream) => upstream.id === id && upstream.trusted),
    }),
    stats: observing.stats,
    tries: new ToolTrials(),
    calls: () => observing.runningCalls.list().map((flight) => callViewOf(flight, observing.showArguments)),
    cancel: (id, by) => cancelCall(observing.runningCalls.find(id), by),
    underWay: () => observing.underWay,
  }
}

/** Programs on this machine, those who have called lately, and those who hold a key. */
function callersKnown({ observing, store }: ControlParts): readonly Caller[] {
  const holders = store.keys.list().map(({ caller, scopes }) => ({ id: caller, scopes: [...scopes] }))
  const all = new Map<string, Caller>([localCaller, ...holders, ...observing.callers.list()].map((caller) => [caller.id, caller]))
  return [...all.values()].slice(0, mostCallers)
}

const mostCallers = 50

function countsOf(tools: readonly ReadyTool[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { definition } of tools) counts.set(definition.server ?? '', (counts.get(definition.server ?? '') ?? 0) + 1)
  return counts
}
