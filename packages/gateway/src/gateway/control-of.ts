// A gateway as it is seen and managed from outside.
import type { Caller, ReadyTool, Server } from 'toolwire'
import type { AuditLog } from 'toolwire/guard'
import type { GatewayConfig } from '../config/config.js'
import { describe } from '../config/describe.js'
import { waitingServers } from '../config/trust/words.js'
import type { Control, Health } from '../door/control.js'
import type { Decisions } from '../door/decisions.js'
import type { Events } from '../door/events.js'
import type { Metrics } from '../door/metrics.js'
import { localCaller } from '../door/this-machine.js'
import { Tries } from '../door/tries.js'
import type { Store } from '../store/store.js'
import { approvalQueue } from './approvals/queue.js'
import { callView, cancelFlight } from './calls/call-view.js'
import { shownUnder } from './calls/shown-arguments.js'
import type { Catalogue } from './catalogue.js'
import type { Endpoints } from './endpoints.js'
import { noteFirstSights } from './first-sights.js'
import type { LineUp } from './line-up.js'
import type { UpstreamLogins } from './logins/upstream-logins.js'
import type { NameCheck } from './name-check.js'
import type { Observing } from './observing.js'
import type { OwnCalls } from './own-calls.js'
import type { Pinning } from './pinning.js'
import type { Pins } from './pins.js'
import { policyDesk } from './policy/desk.js'
import type { PolicyFile } from './policy-file.js'
import { toolControl } from './tool-control.js'
import { aboutOf } from './tool-views.js'
import { serverView, untrustedView } from './views.js'

export type Shown = {
  readonly version: string
  readonly store: Store
  readonly log: () => AuditLog | undefined
  readonly events: Events
  readonly metrics: Metrics
  readonly decisions: Decisions
  readonly observing: Observing
  readonly catalogue: Catalogue
  readonly lineUp: LineUp
  readonly endpoints: Endpoints
  readonly policy: PolicyFile
  readonly pinning: () => Pinning | undefined
  readonly pins: Pins
  readonly ownCalls: OwnCalls
  readonly names: NameCheck
  readonly logins: UpstreamLogins
  readonly config: () => GatewayConfig
  readonly health: () => Health
  readonly restart: (id: string) => Promise<boolean>
  readonly refused: Control['refused']
}

export function controlOf(shown: Shown): Control {
  const { version, store, events, metrics, decisions, observing, policy, lineUp, endpoints, ownCalls } = shown
  const server: Server = endpoints.everything.server
  const tools = (): readonly ReadyTool[] => shown.catalogue.of(server.tools.names)
  noteFirstSights(shown.catalogue, store.marks)
  observing.log = store.audit
  observing.shown = shownUnder(policy)
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
    config: () => describe(shown.config()),
    servers() {
      const counts = countsOf(tools())
      const untrusted = waitingServers(shown.config().trust?.waiting ?? []).map((part) => untrustedView(part, waitsSince(part)))
      const used = lineUp.all.map((upstream) => {
        const login = shown.logins.view(upstream.config)
        return {
          ...serverView(upstream, shown.config(), {
            tools: counts.get(upstream.id) ?? 0,
            heldBack: shown.names.held.get(upstream.id),
          }),
          ...(login && { login }),
        }
      })
      return [...used, ...untrusted]
    },
    withheld: () => endpoints.everything.withheld.map((one) => ({ ...one })),
    call: (name, args, calling) => ownCalls.call(server, { name, args, observing }, calling),
    policy: policyDesk({ policy, names: shown.names }, () => ({ tools: tools().map(aboutOf), callers: callersKnown(shown) })),
    approvals: approvalQueue({
      store,
      policy,
      tools,
      callerNamed: (id) => observing.callers.get(id),
      isTrusted: (id) => shown.config().upstreams.some((upstream) => upstream.id === id && upstream.trusted),
    }),
    stats: observing.stats,
    tries: new Tries(),
    calls: () => observing.flights.list().map((flight) => callView(flight, observing.shown)),
    cancel: (id, by) => cancelFlight(observing.flights.find(id), by),
    underWay: () => observing.underWay,
  }
}

/** Programs on this machine, those who have called lately, and those who hold a key. */
function callersKnown({ observing, store }: Shown): readonly Caller[] {
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
