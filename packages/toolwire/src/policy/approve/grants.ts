import { BoundedMap } from '../../bounds/bounded-map.js'
import { encodeJson, type JsonObject } from '../../json.js'
import { type Compiled, compileTrusted } from '../../schema/compile-schema.js'
import type { BoundCall, StandingApproval } from './approval.js'

/** A standing approval, "always allow": the same caller may call the same tool, as it was defined then, for a limited time. */
export type Grant = Omit<BoundCall, 'arguments'> & {
  readonly id: string
  /** A JSON Schema that the arguments must satisfy. */
  readonly arguments?: JsonObject
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** Stores grants. If the store fails, calls are refused. */
export interface GrantStore {
  list(): readonly Grant[] | Promise<readonly Grant[]>
  add(grant: Grant): void | Promise<void>
  revoke(id: string): void | Promise<void>
}

const mostKept = 1_000

/**
 * Grants kept in memory. Setting the clock back does not make them last longer.
 *
 * @example
 * ```ts
 * const policy = approve({ ask: askCaller(), remember: memoryGrants() })
 * ```
 */
export function memoryGrants(now: () => number = () => performance.now()): GrantStore {
  const kept = new BoundedMap<string, { grant: Grant; until: number }>(mostKept)
  const forgetExpired = () => {
    for (const [id, { until }] of kept) if (until <= now()) kept.delete(id)
  }
  return {
    list() {
      forgetExpired()
      return [...kept.values()].map(({ grant }) => grant)
    },
    add: (grant) => void kept.set(grant.id, { grant, until: now() + grant.expiresAt - Date.now() }),
    revoke: (id) => void kept.delete(id),
  }
}

export async function addGrant(grants: GrantStore, call: BoundCall, { forMs, ...constraint }: StandingApproval): Promise<void> {
  const { caller, server, serverIdentity, tool, definitionHash } = call
  const about = { caller, server, serverIdentity, tool, definitionHash }
  await grants.add({ id: crypto.randomUUID(), ...about, ...constraint, expiresAt: Date.now() + forMs })
}

/** Returns the grant that covers the call, if one does. Grants for another definition of the tool, or for another server, are revoked. */
export async function coveringGrant(grants: GrantStore, call: BoundCall): Promise<Grant | undefined> {
  const about = (await grants.list()).filter((grant) => isAbout(grant, call))
  for (const grant of about) if (!isForSame(grant, call)) await grants.revoke(grant.id)
  return about.find((grant) => covers(grant, call))
}

const isAbout = ({ caller, server, tool }: Grant, call: BoundCall): boolean =>
  caller === call.caller && server === call.server && tool === call.tool

const isForSame = ({ definitionHash, serverIdentity }: Grant, call: BoundCall): boolean =>
  definitionHash === call.definitionHash && serverIdentity === call.serverIdentity

function covers(grant: Grant, call: BoundCall): boolean {
  if (!isForSame(grant, call) || !(grant.expiresAt > Date.now())) return false
  return grant.arguments === undefined || compiledConstraint(grant.arguments).check(call.arguments).length === 0
}

/** By their texts, because a store may return a copy at each call. */
const compiledConstraints = new BoundedMap<string, Compiled>(mostKept)

function compiledConstraint(schema: JsonObject): Compiled {
  const text = encodeJson(schema)
  const compiled = compiledConstraints.get(text) ?? compileTrusted(schema)
  if (!compiledConstraints.has(text)) compiledConstraints.set(text, compiled)
  return compiled
}
