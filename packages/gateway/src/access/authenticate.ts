// Who is let in, and as whom.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Caller } from 'toolwire'
import { type ApiKeyStore, type Arrival, type Authenticate, anyOf, apiKeys, bearerJwt } from 'toolwire/auth'
import { machine } from 'toolwire/relay'

import type { GatewayConfig } from '../config/gateway-config.js'
import { withoutUndefined } from '../json/without-undefined.js'
import { localCaller } from './local-callers.js'

/** The scope of those who may manage the gateway. */
export const adminScope = 'toolwire:admin'
/** Whether this caller may do everything. Who has shown nothing may call at most. */
export const isManager = (caller: Pick<Caller, 'scopes' | 'anonymous'>): boolean => hasScope(caller, adminScope)
/** Whether what takes this scope is for this caller. */
export const hasScope = ({ scopes, anonymous }: Pick<Caller, 'scopes' | 'anonymous'>, scope: string): boolean =>
  anonymous !== true && [scope, adminScope, '*'].some((one) => scopes.includes(one))

/** Who holds the operator's key, or the token in the data directory. */
export const operator: Caller = { id: 'operator', scopes: ['*'] }

/** The gateway itself says who these are: a key or a token that brings such a name would decide and call as somebody else. */
export const isReservedCaller = (id: string): boolean => reserved.has(id) || id.startsWith('console:')
const reserved: ReadonlySet<string> = new Set([localCaller.id, 'webhook', 'toolwire', 'anonymous'])

/** A caller with one of these scopes may use only the sets that they name. */
const setScope = 'toolwire:set:'

/**
 * What those who call may show, and those who manage, in the order in which it is looked at: these may show the token in the data
 * directory as well, and are never let in for being on this machine.
 */
export function authenticators(config: GatewayConfig, keys: ApiKeyStore, token: string) {
  const { apiKey, callers } = config
  const keyed = named(apiKeys({ store: keys, header: 'x-api-key' }))
  const known = anyOf(
    apiKey === undefined ? noAuthenticate : oneKey(apiKey),
    callers.oauth ? anyOf(keyed, named(tokensFor(config, callers.oauth), operator.id)) : keyed,
  )
  return { callers: callers.loopback ? anyOf(known, localAuthenticate) : known, managers: anyOf(oneKey(token), known) }
}

const noAuthenticate: Authenticate = () => undefined

/** Takes nobody under a name that the gateway gives itself. A key may be the operator's own; a token of another server may not. */
function named(way: Authenticate, besides?: string): Authenticate {
  return checkedAs(way, (found) =>
    found && 'id' in found && (isReservedCaller(found.id) || found.id === besides) ? misnamed : found,
  )
}

/** The same for one set: a caller whose scopes name sets has no business in others. */
export function authenticateForSet(all: Authenticate, set: string | undefined): Authenticate {
  return checkedAs(all, (found) => (!found || 'denied' in found || isWelcome(found, set) ? found : elsewhere))
}

function checkedAs(way: Authenticate, check: (found: Found) => Found): Authenticate {
  return (arrival) => {
    const found = way(arrival)
    return found instanceof Promise ? found.then(check) : check(found)
  }
}

type Found = Awaited<ReturnType<Authenticate>>
const misnamed: Found = { denied: 'invalid_token', description: 'The name of this caller is reserved by the gateway' }
const elsewhere: Found = { denied: 'insufficient_scope', description: 'These credentials are for other sets of tools' }

/** Where clients find the endpoint, and what tokens for it say. */
export const publicUrlOf = ({ callers, host, port }: GatewayConfig, set?: string): string => {
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
  const sets = Object.keys(config.sets).map((set) => publicUrlOf(config, set))
  const named = [audience ?? publicUrlOf(config)].flat()
  const audiences = { audience: [...named, ...sets], otherAudiences }
  return bearerJwt(withoutUndefined({ issuer, resource: publicUrlOf(config), ...audiences, jwks }))
}

/** A key that the operator has set, or the token in the data directory. Its holder is the operator. */
function oneKey(key: string): Authenticate {
  const expected = digest(key)
  return ({ header }) => {
    const shown = header('x-api-key') ?? /^bearer +(\S+)$/i.exec(header('authorization')?.trim() ?? '')?.[1]
    return shown !== undefined && timingSafeEqual(digest(shown), expected) ? operator : undefined
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const credentialHeaders = ['authorization', 'x-api-key']
/** What somebody in between adds: then the connection says nothing about who is calling. */
const forwardingHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']

/** Takes a caller from this machine who comes directly and shows nothing that somebody would have to check. */
const localAuthenticate: Authenticate = (request) => (isLocal(request) ? localCaller : undefined)

function isLocal({ header, remote, port }: Arrival): boolean {
  if ([...credentialHeaders, ...forwardingHeaders].some((name) => header(name) !== undefined)) return false
  return isLoopback(remote) && machine.isLoopbackHost(header('host')?.toLowerCase() ?? '', port)
}

const isLoopback = (address = ''): boolean => address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address)
