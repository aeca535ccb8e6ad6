// A gateway as it is seen and managed from outside.
import type { Caller, ReadyTool, Server } from 'toolwire'
import type { AuditLog } from 'toolwire/guard'
import type { GatewayConfig } from '../config/config.js'
import { describeConfig } from '../config/describe.js'
import { untrustedServers } from '../config/trust/words.js'
import type { Control, GatewayHealth } from '../door/control.js'
import type { ApprovalDecisions } from '../door/decisions.js'
import type { EventFeed } from '../door/events.js'
import type { Metrics } from '../door/metrics.js'
import { localCaller } from '../door/this-machine.js'
import { ToolTrials } from '../door/tries.js'
import type { Store } from '../store/store.js'
import { createApprovals } from './approvals/queue.js'
import { callViewOf, cancelCall } from './calls/call-view.js'
import { redactedArgumentsBy } from './calls/shown-arguments.js'
import type { RegisteredTools } from './catalogue.js'
import type { AggregateServers } from './endpoints.js'
import { recordFirstSeen } from './first-sights.js'
import type { UpstreamSet } from './line-up.js'
import type { UpstreamLogins } from './logins/upstream-logins.js'
import type { NameCheck } from './name-check.js'
import type { CallObserver } from './observing.js'
import type { ApiCalls } from './own-calls.js'
import type { Pinning } from './pinning.js'
import type { PinRegistry } from './pins.js'
import { createPolicyEditor } from './policy/desk.js'
import type { PolicyFile } from './policy-file.js'
import { toolControl } from './tool-control.js'
import { ruleSubjectOf } from './tool-views.js'
import { serverViewOf, untrustedServerView } from './views.js'

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
