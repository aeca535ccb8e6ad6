// Authentication of callers and managers.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Caller } from 'toolwire'
import { type ApiKeyStore, type Arrival, type Authenticate, anyOf, apiKeys, bearerJwt } from 'toolwire/auth'
import { machine } from 'toolwire/relay'
import { didYouMean } from '../config/did-you-mean.js'
import type { GatewayConfig } from '../config/gateway-config.js'
import { hostInUrl } from '../config/own-address.js'
import { withoutUndefined } from '../json/without-undefined.js'
import { callerNameFault, operator } from './caller-names.js'
import { type CredentialHolder, keyCredential, operatorCredential } from './credentials.js'
import { localCaller } from './local-callers.js'

export const adminScope = 'toolwire:admin'
export const metricsScope = 'toolwire:metrics'
const managementScopes: readonly string[] = [adminScope, metricsScope]

const isOwnScope = (scope: string): boolean => scope.startsWith('toolwire:')

/** True for a scope that lets its holder manage or watch the gateway. */
export const isManagementScope = (scope: string): boolean => scope === '*' || managementScopes.includes(scope)

/** The reason why a scope cannot be used: it begins like those of the gateway, which does not know it. */
export function scopeFault(scope: string): string | undefined {
  const isOfSet = scope.startsWith(setScope) && scope.length > setScope.length
  if (!isOwnScope(scope) || isOfSet || managementScopes.includes(scope)) return undefined
  const meant = didYouMean(scope, [...managementScopes, `${setScope}${scope.split(':').at(-1)}`])
  return `is not a scope of the gateway. Use ${managementScopes.join(', ')} or ${setScope}NAME${meant}`
}

/** True if this caller may do everything. An anonymous caller never may. */
export const isManager = (caller: Pick<Caller, 'scopes' | 'anonymous'>): boolean => hasScope(caller, adminScope)
/** True if the caller has this scope, the admin scope or all scopes. An anonymous caller has none. */
export const hasScope = ({ scopes, anonymous }: Pick<Caller, 'scopes' | 'anonymous'>, scope: string): boolean =>
  anonymous !== true && [scope, adminScope, '*'].some((one) => scopes.includes(one))

export const isOperator = ({ id }: Pick<Caller, 'id'>): boolean => id === operator.id

/** A caller with one of these scopes may use only the sets that they name. */
const setScope = 'toolwire:set:'

type AuthenticatorParts = {
  readonly keys: ApiKeyStore
  /** The management token, which is in the data directory. */
  readonly token: string
  /** The names of the sets in force. */
  readonly sets: () => readonly string[]
}

/**
 * Authenticators for callers and for managers, in the order in which they are tried. Managers may also use the token in the data
 * directory, and are never authenticated by the loopback address alone.
 */
export function authenticators(config: GatewayConfig, { keys, token, sets }: AuthenticatorParts) {
  const { apiKey, callers } = config
  const keyed = named(storedKey(keys))
  const known = anyOf(
    apiKey === undefined ? authenticateNobody : oneKey(apiKey, { ...operator, credential: operatorCredential(apiKey) }),
    callers.oauth ? anyOf(keyed, named(tokensFor(config, callers.oauth, sets))) : keyed,
  )
  return { callers: callers.loopback ? anyOf(known, localAuthenticate) : known, managers: anyOf(oneKey(token, operator), known) }
}

const authenticateNobody: Authenticate = () => undefined

/** Rejects callers with a name that none may have. */
function named(way: Authenticate): Authenticate {
  return checkingResult(way, (found) => {
    const fault = found && 'id' in found ? callerNameFault(found.id) : undefined
    return fault === undefined ? found : { denied: 'invalid_token', description: `The name of this caller ${fault}` }
  })
}

/** Authenticates for one set. A caller whose scopes name sets is rejected at other sets. */
export function authenticateForSet(all: Authenticate, set: string | undefined): Authenticate {
  const way = checkingResult(all, (found) => (!found || 'denied' in found || mayUseSet(found, set) ? found : otherSets))
  return Object.assign(way, { headers: ['x-api-key'] })
}

function checkingResult(way: Authenticate, check: (found: Found) => Found): Authenticate {
  return (arrival) => {
    const found = way(arrival)
    return found instanceof Promise ? found.then(check) : check(found)
  }
}

type Found = Awaited<ReturnType<Authenticate>>
const otherSets: Found = { denied: 'insufficient_scope', description: 'These credentials are for other sets of tools' }

/** The public URL of the endpoint, which is also the default audience of its tokens. */
export const publicUrlOf = ({ callers, host, port }: GatewayConfig, set?: string): string => {
  const url = callers.oauth?.url ?? `http://${hostInUrl(host)}:${port}/mcp`
  return set === undefined ? url : `${url.replace(/\/$/, '')}/${set}`
}

/**
 * Undefined stands for the endpoint with everything. An unknown scope of the gateway may be the misspelt name of a set, so its holder may
 * use no other set.
 */
export function mayUseSet({ scopes }: Caller, set: string | undefined): boolean {
  if (scopes.includes('*') || !scopes.some((scope) => isOwnScope(scope) && !managementScopes.includes(scope))) return true
  return set !== undefined && scopes.includes(`${setScope}${set}`)
}

type OAuth = NonNullable<GatewayConfig['callers']['oauth']>

/** A token for the gateway is valid for each of its sets; scopes decide what it may do there. */
function tokensFor(
  config: GatewayConfig,
  { issuer, audience, otherAudiences, jwks }: OAuth,
  sets: () => readonly string[],
): Authenticate {
  const resource = publicUrlOf(config)
  const named = [audience ?? resource].flat()
  const all = () => [...named, ...sets().map((set) => publicUrlOf(config, set))]
  return bearerJwt(withoutUndefined({ issuer, resource, audience: all, otherAudiences, jwks }))
}

/** Accepts the keys in the store. The caller names its key, because several keys may have the same caller. */
function storedKey(keys: ApiKeyStore): Authenticate {
  return (arrival) => {
    if (!credentialHeaders.some((name) => arrival.header(name) !== undefined)) return undefined
    let credential: string | undefined
    const find: ApiKeyStore['find'] = (id) => {
      credential = keyCredential(id)
      return keys.find(id)
    }
    const way = checkingResult(apiKeys({ store: { find }, header: 'x-api-key' }), (found) =>
      found && 'id' in found ? { ...found, credential } : found,
    )
    return way(arrival)
  }
}

/** Accepts one key: the operator's, or the token in the data directory. */
function oneKey(key: string, holder: Caller & CredentialHolder): Authenticate {
  const expected = digest(key)
  return ({ header }) => {
    const shown = header('x-api-key') ?? /^bearer +(\S+)$/i.exec(header('authorization')?.trim() ?? '')?.[1]
    return shown !== undefined && timingSafeEqual(digest(shown), expected) ? holder : undefined
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const credentialHeaders = ['authorization', 'x-api-key']

/** Accepts a direct request from this machine without credentials. */
const localAuthenticate: Authenticate = (request) => (isLocal(request) ? localCaller : undefined)

function isLocal({ header, remote, port }: Arrival): boolean {
  if ([...credentialHeaders, ...machine.forwardingHeaders].some((name) => header(name) !== undefined)) return false
  return isLoopback(remote) && machine.isLoopbackHost(header('host')?.toLowerCase() ?? '', port)
}

const isLoopback = (address = ''): boolean => address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address)
