// Who is let in, and as whom.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Caller } from 'toolwire'
import { type ApiKeyStore, anyOf, apiKeys, bearerJwt } from 'toolwire/auth'
import type { Authenticate } from 'toolwire/node'
import type { GatewayConfig } from '../config/config.js'
import { thisMachine } from './this-machine.js'

/** The scope of those who may manage the gateway. */
export const adminScope = 'toolwire:admin'
/** Whether this caller may do everything. */
export const manages = ({ scopes }: Pick<Caller, 'scopes'>): boolean => scopes.includes(adminScope) || scopes.includes('*')

/** Whoever holds one of these may use the sets that they name, and nothing else. */
const setScope = 'toolwire:set:'

/** What callers may show, in the order in which it is looked at. */
export function callersOf(config: GatewayConfig, keys: ApiKeyStore): Authenticate {
  const { apiKey, callers } = config
  const ways: Authenticate[] = [
    ...(apiKey === undefined ? [] : [oneKey(apiKey)]),
    apiKeys({ store: keys, header: 'x-api-key' }),
    ...(callers.oauth ? [tokensFor(config, callers.oauth)] : []),
    ...(callers.loopback ? [thisMachine] : []),
  ]
  return anyOf(...(ways as [Authenticate, ...Authenticate[]])) // there are always keys
}

/** The same for one set: a caller whose scopes name sets has no business in others. */
export function callersOfSet(all: Authenticate, set: string | undefined): Authenticate {
  const welcomed = (found: Found): Found => (!found || 'denied' in found || isWelcome(found, set) ? found : elsewhere)
  return (arrival) => {
    const found = all(arrival)
    return found instanceof Promise ? found.then(welcomed) : welcomed(found)
  }
}

type Found = Awaited<ReturnType<Authenticate>>
const elsewhere: Found = { denied: 'insufficient_scope', description: 'These credentials are for other sets of tools' }

/** Where clients find the endpoint, and what tokens for it say. */
export const publicUrl = ({ callers, host, port }: GatewayConfig, set?: string): string => {
  const url = callers.oauth?.url ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}/mcp`
  return set === undefined ? url : `${url.replace(/\/$/, '')}/${set}`
}

function isWelcome({ scopes }: Caller, set: string | undefined): boolean {
  if (scopes.includes('*') || !scopes.some((scope) => scope.startsWith(setScope))) return true
  return set !== undefined && scopes.includes(`${setScope}${set}`)
}

type OAuth = NonNullable<GatewayConfig['callers']['oauth']>

/** A token for the gateway is good for each of its sets: what it may do there is for scopes to say. */
function tokensFor(config: GatewayConfig, { issuer, audience, otherAudiences, jwks }: OAuth): Authenticate {
  const sets = Object.keys(config.sets).map((set) => publicUrl(config, set))
  const named = [audience ?? publicUrl(config)].flat()
  return bearerJwt({
    issuer,
    resource: publicUrl(config),
    audience: [...named, ...sets],
    ...(otherAudiences !== undefined && { otherAudiences }),
    ...(jwks !== undefined && { jwks }),
  })
}

/** A key that the operator has set. Whoever holds it is the operator. */
function oneKey(key: string): Authenticate {
  const expected = digest(key)
  return ({ header }) => {
    const shown = header('x-api-key') ?? /^bearer +(\S+)$/i.exec(header('authorization')?.trim() ?? '')?.[1]
    return shown !== undefined && timingSafeEqual(digest(shown), expected) ? { id: 'operator', scopes: ['*'] } : undefined
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
