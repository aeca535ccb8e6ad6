// The scenarios for each side: required ones, unscored ones that the suite runs too, and tasks.

export type Part = 'server' | 'client'
/** Servers: our fixtures, the gateway before them over HTTP and stdio, the fixtures on the official SDK, and the gateway before those. */
export type Side = Part | 'gateway-http' | 'gateway-stdio' | 'sdk' | 'gateway-sdk'
export type Group = 'required' | 'unscored' | 'tasks'
export type Scored = '2025-11-25' | '2026-07-28'
/** No scenario is required in the oldest revision; a few test a login at its servers. */
export type Revision = Scored | '2025-03-26'

/** In the order of the report. */
export const sides: readonly Side[] = ['client', 'server', 'gateway-http', 'gateway-stdio', 'sdk', 'gateway-sdk']
/** Includes the official SDK, for comparison, because the gateway runs in front of it too. */
const gateways: readonly Side[] = sides.filter((side) => side.startsWith('gateway-') || side === 'sdk')

/** All sides by default; `gateway` means all sides with a gateway, and the SDK. */
export function sidesCalled(name: string | undefined): readonly Side[] {
  if (name === undefined) return sides
  return name === 'gateway' ? gateways : sides.filter((side) => side === name)
}

export const partOf = (side: Side): Part => (side === 'client' ? 'client' : 'server')

export const revisions: readonly Scored[] = ['2025-11-25', '2026-07-28']

/** Number of required scenarios of each revision; fewer results mean that some got lost. */
export const required: Readonly<Record<Part, Readonly<Record<Scored, number>>>> = {
  server: { '2025-11-25': 30, '2026-07-28': 37 },
  client: { '2025-11-25': 18, '2026-07-28': 32 },
}

const clientExtensions = [
  'json-schema-2020-12-preservation',
  'auth/client-credentials-jwt',
  'auth/client-credentials-basic',
  'auth/enterprise-managed-authorization',
  'auth/dpop',
  'auth/dpop-nonce',
  'auth/wif-jwt-bearer',
]

export const unscored: Readonly<Record<Part, Readonly<Record<Revision, readonly string[]>>>> = {
  server: {
    '2025-03-26': [],
    '2025-11-25': ['json-schema-2020-12', 'server-session-lifecycle', 'server-sse-polling'],
    '2026-07-28': ['json-schema-2020-12', 'http-header-validation', 'http-custom-header-server-validation'],
  },
  client: {
    '2025-03-26': ['auth/2025-03-26-oauth-metadata-backcompat', 'auth/2025-03-26-oauth-endpoint-fallback'],
    '2025-11-25': clientExtensions,
    '2026-07-28': clientExtensions,
  },
}

export const tasks: readonly string[] = [
  'tasks-lifecycle',
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
  'tasks-status-notifications',
  'tasks-required-task-error',
  'tasks-mrtr-composition',
]

/**
 * Features between two neighbours, which a gateway does not relay: it waits for the tasks of its upstreams but offers none, and dropped
 * connections stay on their side. The fixtures on the SDK leave both out too.
 */
export const isNotRelayed = (side: Side, scenario: string): boolean =>
  gateways.includes(side) && (tasks.includes(scenario) || scenario === 'server-sse-polling')

/** These scenarios measure time within 50 ms, so nothing else may run meanwhile. */
export const needsQuiet: ReadonlySet<string> = new Set(['sse-retry'])

export function groupOf(side: Side, scenario: string, revision: Revision): Group {
  if (tasks.includes(scenario)) return 'tasks'
  return unscored[partOf(side)][revision].includes(scenario) ? 'unscored' : 'required'
}
