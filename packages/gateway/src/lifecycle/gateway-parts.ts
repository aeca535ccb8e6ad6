// Builds the parts of a gateway. Nothing listens, opens or reads yet.
import type { JsonObject } from 'toolwire'
import type { AuditLog } from 'toolwire/guard'
import { ApiCalls } from '../api/control/api-calls.js'
import type { GatewayHealth } from '../api/control/control.js'
import { createControl } from '../api/control/create-control.js'
import { healthOf } from '../api/control/status-views.js'
import { callerInstructions, type GatewayLocation } from '../approvals/approval-instructions.js'
import { approvalDecisions } from '../approvals/decide-approvals.js'
import { AggregateServers } from '../catalog/aggregate-servers.js'
import { clientViews } from '../catalog/clients/client-views.js'
import type { ListedDefinition } from '../catalog/definitions/settle-names.js'
import { misspelledServers } from '../catalog/missing-names/in-rules.js'
import { NameCheck } from '../catalog/missing-names/name-check.js'
import { exposedName, unnameableReason } from '../catalog/names/exposed-name.js'
import { type UpstreamCatalog, UpstreamCatalogs } from '../catalog/upstream-catalog.js'
import type { GatewayConfig } from '../config/gateway-config.js'
import { hostInUrl } from '../config/own-address.js'
import { serverIdentifier } from '../config/servers/server-identity.js'
import type { ConsoleServer } from '../console/console-server.js'
import { Guard, type GuardParts } from '../guard/guard.js'
import type { SharedLimits } from '../guard/limits/shared-limits.js'
import { pinRegistry } from '../guard/pins/pin-registry.js'
import { PolicyFile } from '../guard/policy/policy-file.js'
import { SanitizedText } from '../guard/sanitized-text.js'
import { Shutdown } from '../guard/shutdown.js'
import { firstSeenRecorder } from '../guard/tools/first-seen.js'
import { registeredTools } from '../guard/tools/registered-tools.js'
import { toolStatesOf } from '../guard/tools/tool-states.js'
import { CallObserver } from '../monitoring/call-observer.js'
import { redactedArgumentsBy } from '../monitoring/calls/shown-arguments.js'
import { EventFeed } from '../monitoring/event-feed.js'
import { Metrics } from '../monitoring/metrics.js'
import type { Telemetry } from '../monitoring/telemetry.js'
import { recordQuestions } from '../relay/record-questions.js'
import { boundedRecords } from '../store/audit/bounded-records.js'
import { retentionSchedule } from '../store/audit/retention.js'
import type { Store } from '../store/store.js'
import { witnessSchedule } from '../store/witness/witness-schedule.js'
import type { UpstreamLogins } from '../upstreams/logins/upstream-logins.js'
import type { Upstream } from '../upstreams/upstream.js'
import { UpstreamSet } from '../upstreams/upstream-set.js'
import { ChangeRecords } from './change-records.js'
import { GatewayLog } from './gateway-log.js'
import type { GatewayOptions } from './gateway-options.js'
import { packageVersion } from './version.js'

export type GatewayState = {
  config: GatewayConfig
  port: number
  console: ConsoleServer | undefined
  configTrouble: Error | undefined
}

/** Resources opened before the gateway and closed with it. */
export type GatewayResources = {
  readonly store: Store
  readonly logins: UpstreamLogins
  readonly limits: SharedLimits
  readonly telemetry: Telemetry | undefined
}

/** Actions of the running gateway that its parts request. */
type GatewayActions = {
  readonly restart: (id: string) => Promise<boolean>
  readonly rulesChanged: () => void
  readonly upstreamReached: (upstream: Upstream) => void
  readonly upstreamReplaced: (upstream: Upstream) => void
}

export type GatewayParts = ReturnType<typeof buildGateway>

export function buildGateway(state: GatewayState, resources: GatewayResources, options: GatewayOptions, actions: GatewayActions) {
  const { store, logins, limits, telemetry } = resources
  const { authFor, patienceMs = 20_000 } = options
  const base = buildRecords(state, store, options, actions)
  const { events, log, auditLog, records, policy, names, changes } = base
  const metrics = new Metrics()
  const shutdown = new Shutdown()
  const sanitizedText = new SanitizedText()
  const apiCalls = new ApiCalls()
  const showArguments = redactedArgumentsBy(policy)
  const onArrival: Shutdown['noteArrival'] = (call) => shutdown.noteArrival(call)
  const observer = new CallObserver({ events, metrics, onArrival, showArguments, log: store.audit })
  const states = toolStatesOf({ marks: store.marks, policy, onSwitched: () => endpoints.announce() })
  const decisions = approvalDecisions({
    store,
    changesSince: (record) => control.approvals.changesSince(record),
    refused: (one) => records.note(one),
    get log() {
      return auditLog()
    },
  })
  const noteFirstSeen = firstSeenRecorder(store.marks)
  const registered = registeredTools((tool) => {
    guard.pinning?.noteTool(tool)
    noteFirstSeen(tool)
  })
  const pins = pinRegistry({ store, events, pinning: () => guard.pinning, mask: base.mask })
  const pinning: GuardParts['pinning'] = {
    store: store.pins,
    onDrift: (drifts) => {
      log.drifted(drifts.map((drift) => pins.withServer(drift)))
      changes.drifted(drifts)
    },
    onAccepted: (definitions) => changes.accepted(definitions),
    listed: () => endpoints.everything.server.tools.all,
    listedDefinitions: () => otherDefinitions(endpoints.everything.catalogs),
    registered: () => endpoints.made(),
    onChange: (changed) => endpoints.announce(changed),
    onServer: () => endpoints.refresh(),
    onTrouble: (words) => log.write('error', words),
    isStopping: () => shutdown.hasBegun,
  }
  const guard = new Guard({
    store,
    limits,
    policy,
    pinning,
    observer,
    sanitizedText,
    states,
    shutdown,
    patienceMs,
    telemetry,
    howTo: (id) => callerInstructions(locationOf(state), id),
  })
  const catalogs = new UpstreamCatalogs()
  const onNote = (text: string) => log.write('warning', text)
  const showingFor = clientViews(() => state.config.clients ?? {}, onNote)
  const about = { name: 'toolwire', title: 'Toolwire gateway', version: packageVersion, http: apiCalls.http }
  const endpoints = new AggregateServers({
    server: { ...about, showingFor, ...guard.serverOptions, ...(options.replicas && { replica: options.replicas.self }) },
    catalogs,
    onNote,
    onProgress: observer.progressed,
    withholdReasons: names.heldBack,
    isAnother: ({ id, identity }) => guard.pinning?.conflictingServer(id, identity.id) !== undefined,
    isAccepted: (listed) => guard.pinning?.isListedOpen(listed) ?? true,
    onRegister: registered.add,
    onMade: () => guard.pinning?.tidy(),
    onQuestion: recordQuestions(auditLog),
  })
  const identify = serverIdentifier(store.servers.salt)
  const upstreams = new UpstreamSet({
    optionsFor: (upstream) => {
      const auth = authFor?.(upstream, store)
      return {
        clientInfo: { name: 'toolwire', version: packageVersion },
        ...logins.optionsFor(upstream),
        ...(auth && { auth }),
        ...(telemetry && { policies: [telemetry.policy] }),
        identify,
        words: sanitizedText.policyWords,
        onNote: (kind, text) =>
          kind === 'stderr' ? log.printed(upstream.id, text) : log.write('warning', `${upstream.id}: ${text}`),
      }
    },
    onChange: (upstream, { kind }) => {
      if (kind === 'replaced') actions.upstreamReplaced(upstream)
      if (kind !== 'status') return
      if (upstream.status.state === 'ready') actions.upstreamReached(upstream)
      log.upstream(upstream, catalogs.of)
    },
  })
  const health = (): GatewayHealth =>
    healthOf({
      leaving: shutdown.isAnnounced,
      auditIsOn: auditLog() !== undefined,
      store,
      policyTrouble: policy.trouble,
      configTrouble: state.configTrouble,
      configVersion: configVersionIn(state, store),
      missing: names.missingNames,
      upstreams: upstreams.all,
      untrusted: state.config.trust?.waiting ?? [],
      heldBack: pins.waiting,
      mask: base.mask,
    })
  const control = createControl({
    ...{ version: packageVersion, store, log: auditLog, events, metrics, decisions, observer, showArguments, registered, states },
    ...{ upstreams, endpoints, policy, guard, pins, records, apiCalls, names, logins, health, restart: actions.restart },
    config: () => state.config,
  })
  return { ...base, ...resources, shutdown, observer, decisions, guard, endpoints, identify, upstreams, health, control }
}

/** Builds the logs, the events, and the parts that write to them. */
function buildRecords(state: GatewayState, store: Store, options: GatewayOptions, { rulesChanged }: GatewayActions) {
  const { onLog = () => undefined } = options
  const mask = (text: string) => state.config.secrets.mask(text)
  const auditLog = (): AuditLog | undefined => (state.config.guard.audit ? store.audit : undefined)
  const events = new EventFeed()
  const log = new GatewayLog({ events, onLog, mask })
  const onTrouble = (words: string) => log.write('error', words)
  const records = boundedRecords(auditLog, onTrouble)
  const names = new NameCheck({
    config: () => state.config,
    rules: () => (policy.path === undefined ? undefined : policy.current),
    onChange: (missing, found) => log.names(missing, found),
  })
  const policy = new PolicyFile(state.config.guard.approvals, {
    onChange: rulesChanged,
    onTrouble: (trouble) => log.reportTrouble('policy', trouble),
    toolsFor: names.toolsByConfig,
    check: (book) => misspelledServers(book, idsOf(state.config)),
  })
  const changes = new ChangeRecords({
    store,
    config: state.config,
    records,
    policy,
    isOn: () => auditLog() !== undefined,
    onTrouble,
    isFirst: store.fleet && store.spentTickets.claim,
  })
  const retention = retentionSchedule(store.audit, onTrouble)
  const witness = witnessSchedule(store.audit, (words) =>
    log.write(words ? 'error' : 'info', words ?? 'The witness accepts the heads of the log again'),
  )
  return { mask, auditLog, events, log, records, names, policy, changes, retention, witness }
}

function configVersionIn({ config: { source, version = 0 } }: GatewayState, { fleet }: Store): GatewayHealth['configVersion'] {
  return fleet && source === undefined ? { inForce: version, newest: fleet.configs.newestVersion } : undefined
}

const idsOf = ({ upstreams }: GatewayConfig): string[] => upstreams.map(({ id }) => id)

/** The URL of the endpoint with everything. */
export const urlOf = ({ config: { host }, port }: GatewayState): string => `http://${hostInUrl(host)}:${port}/mcp`

export const locationOf = (state: GatewayState): GatewayLocation => ({ url: urlOf(state), consoleUrl: state.console?.url })

/** Prompts, resources and templates that upstreams list, offered or not. A prompt without a name for callers was never offered. */
const otherDefinitions = (all: readonly UpstreamCatalog[]): readonly Pick<ListedDefinition, 'server' | 'kind' | 'name'>[] =>
  all.flatMap(({ upstream: { id, config }, prompts, resources, templates }) => [
    ...textsOf(prompts, 'name')
      .filter((name) => unnameableReason(name) === undefined)
      .map((name) => ({ server: id, kind: 'prompt' as const, name: exposedName(config.prefix, name) })),
    ...textsOf(resources, 'uri').map((uri) => ({ server: id, kind: 'resource' as const, name: uri })),
    ...textsOf(templates, 'uriTemplate').map((uri) => ({ server: id, kind: 'template' as const, name: uri })),
  ])

/** The values of a member, without those that are not texts: an untrusted server may list anything. */
const textsOf = (listed: readonly JsonObject[], member: string): string[] =>
  listed.map((one) => one[member]).filter((value) => typeof value === 'string')
