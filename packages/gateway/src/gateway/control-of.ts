// A gateway as it is seen and managed from outside.
import type { JsonObject, ReadyTool, Server } from 'toolwire'
import type { AuditLog } from 'toolwire/guard'
import { explain } from 'toolwire/rules'
import type { GatewayConfig } from '../config/config.js'
import { describe } from '../config/describe.js'
import type { Control, Health } from '../door/control.js'
import type { Decisions } from '../door/decisions.js'
import type { Events } from '../door/events.js'
import type { Metrics } from '../door/metrics.js'
import type { Store } from '../store/store.js'
import type { Catalogue } from './catalogue.js'
import type { Endpoints } from './endpoints.js'
import type { LineUp } from './line-up.js'
import type { Observing } from './observing.js'
import type { OwnCalls } from './own-calls.js'
import type { Pinning } from './pinning.js'
import type { PolicyFile } from './policy-file.js'
import { serverView, toolView } from './views.js'

export type Shown = {
  readonly version: string
  readonly store: Store
  readonly log: AuditLog | undefined
  readonly events: Events
  readonly metrics: Metrics
  readonly decisions: Decisions
  readonly observing: Observing
  readonly catalogue: Catalogue
  readonly lineUp: LineUp
  readonly endpoints: Endpoints
  readonly policy: PolicyFile
  readonly pinning: Pinning | undefined
  readonly ownCalls: OwnCalls
  readonly config: () => GatewayConfig
  readonly health: () => Health
  readonly restart: (id: string) => Promise<boolean>
}

export function controlOf(shown: Shown): Control {
  const { version, store, log, events, metrics, decisions, observing, pinning, policy, lineUp, endpoints, ownCalls } = shown
  const server: Server = endpoints.everything.server
  const tools = (): readonly ReadyTool[] => shown.catalogue.of(server.tools.names)
  return {
    version,
    store,
    log,
    events,
    metrics,
    decisions,
    health: shown.health,
    restart: shown.restart,
    config: () => describe(shown.config()),
    servers() {
      const counts = countsOf(tools())
      return lineUp.all.map((upstream) => serverView(upstream, shown.config(), counts.get(upstream.id) ?? 0))
    },
    tools: () => tools().map((tool) => toolView(tool, pinning?.isOpen(tool) ?? true)),
    withheld: () => endpoints.everything.withheld.map((one) => ({ ...one })),
    call: (name, args, calling) => ownCalls.call(server, { name, args }, calling),
    pins: async () => ({ accepted: await store.pins.list(), waiting: pinning?.waiting ?? [] }),
    async accept(at, tool, hash) {
      await pinning?.accept(at, tool, hash)
      events.add('pin', { what: 'accepted', server: at, tool, hash })
    },
    policy: () => ({
      file: policy.path,
      version: policy.current.version,
      rules: policy.current.set as object as JsonObject, // a set is JSON
      ...(policy.trouble && { trouble: policy.trouble.message }),
    }),
    explain: (call) => explain(policy.current, call),
    underWay: () => observing.underWay,
  }
}

function countsOf(tools: readonly ReadyTool[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { definition } of tools) counts.set(definition.server ?? '', (counts.get(definition.server ?? '') ?? 0) + 1)
  return counts
}
