// What is asked of each side: the scenarios each revision requires, those that the suite runs without scoring them, and tasks.

/** What the suite can play against. */
export type Part = 'server' | 'client'
/** Servers: our fixtures, the gateway in front of them over HTTP and on a pipe, fixtures on the official SDK, and the gateway in front of those. */
export type Side = Part | 'gateway-http' | 'gateway-stdio' | 'sdk' | 'gateway-sdk'
export type Group = 'required' | 'unscored' | 'tasks'
export type Scored = '2025-11-25' | '2026-07-28'
/** Nothing is required of the oldest; a few scenarios show that its servers can still be logged in to. */
export type Revision = Scored | '2025-03-26'

/** In the order in which they run: clocks are looked at on the client's side, so it comes while nothing else has been started. */
export const sides: readonly Side[] = ['client', 'server', 'gateway-http', 'gateway-stdio', 'sdk', 'gateway-sdk']
/** The official SDK is run for comparison, where it stands behind the gateway too. */
const gateways: readonly Side[] = sides.filter((side) => side.startsWith('gateway-') || side === 'sdk')

/** Undefined stands for all of them, `gateway` for whatever the gateway is in front of. */
export function sidesCalled(name: string | undefined): readonly Side[] {
  if (name === undefined) return sides
  return name === 'gateway' ? gateways : sides.filter((side) => side === name)
}

export const partOf = (side: Side): Part => (side === 'client' ? 'client' : 'server')

export const revisions: readonly Scored[] = ['2025-11-25', '2026-07-28']

/** How many required scenarios a revision has; fewer results mean that some were lost on the way. */
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
 * What is between two neighbours: a gateway waits for the tasks of its upstreams and offers none of its own, and who drops which
 * connection is not passed on. The fixtures on the SDK, which are there to stand behind it, do without them too.
 */
export const isApart = (side: Side, scenario: string): boolean =>
  gateways.includes(side) && (tasks.includes(scenario) || scenario === 'server-sse-polling')

/** Looks at the clock within 50 ms, so nothing else may run beside it. */
export const needsQuiet: ReadonlySet<string> = new Set(['sse-retry'])

export function groupOf(side: Side, scenario: string, revision: Revision): Group {
  if (tasks.includes(scenario)) return 'tasks'
  return unscored[partOf(side)][revision].includes(scenario) ? 'unscored' : 'required'
}
