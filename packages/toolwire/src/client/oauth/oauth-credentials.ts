import { BoundedMap } from '../../bounds/bounded-map.js'
import type { Challenge, Credentials, CredentialsRequest } from '../../peer/client-transport.js'
import { type ChallengeDemands, readChallengeDemands } from './challenge.js'
import { canonicalUri } from './discovery/canonical-uri.js'
import { isSecure } from './egress/reach.js'
import type { TokenGrant } from './grants/token-grant.js'
import type { AccessSettings } from './renew-tokens.js'
import { ServerAccess } from './server-access.js'
import { type DpopProofs, dpopProofs } from './tokens/dpop-proofs.js'
import { memoryTokens } from './tokens/token-store.js'
import { vault } from './tokens/vault.js'

const mostKept = 1_000

/** Counts attempts, and returns false if there were too many lately, so that a server cannot keep us, or a person, busy. */
function attemptLimiter(withinMs: number): (key: string, most: number) => boolean {
  const moments = new BoundedMap<string, number[]>(mostKept)
  return (key, most) => {
    const now = performance.now()
    const recent = (moments.get(key) ?? []).filter((moment) => moment > now - withinMs)
    if (recent.length >= most) return false
    moments.set(key, [...recent, now])
    return true
  }
}

/** Limits on new tokens for the same operation. */
const mostForSameScopes = 2
const mostForAnyScopes = 5
const mostRenewals = 3
const mostNonces = 10

/** Credentials for any number of servers, each with tokens of its own. */
export function oauthCredentials(grant: TokenGrant, options: AccessSettings['options']): Credentials {
  const kept = vault(options.store ?? memoryTokens())
  /** One pair of keys for all servers, made when it is first needed. */
  let keys: Promise<DpopProofs> | undefined
  const proofs = () => {
    keys ??= dpopProofs(kept).catch((thrown) => {
      keys = undefined
      throw thrown
    })
    return keys
  }
  let account = crypto.randomUUID()
  const onNewAccount = () => {
    account = crypto.randomUUID()
  }
  const accesses = new BoundedMap<string, ServerAccess>(mostKept)
  const accessTo = (request: CredentialsRequest): ServerAccess => {
    const server = canonicalUri(request.server)
    const access = accesses.get(server) ?? new ServerAccess(server, { grant, vault: kept, options, proofs, onNewAccount })
    accesses.set(server, access)
    return access
  }
  const worthTrying = renewalLimits()
  return {
    headers: (request) => (mayShowToken(request) ? accessTo(request).headers(request) : {}),
    principal: () => account,
    async refused(challenge) {
      const { url, status } = challenge
      const asked = readChallengeDemands(challenge.wwwAuthenticate)
      const access = accessTo(challenge)
      const nonce = challenge.header('dpop-nonce')
      // RFC 9449 section 9: the proof is wrong, not the token.
      if (status === 401 && asked.error === 'use_dpop_nonce' && nonce !== undefined) {
        await access.storeNonce(url, nonce)
        return worthTrying.nonce(challenge)
      }
      if (status !== 401 && asked.error !== 'insufficient_scope') return false
      if (access.isOutdated(challenge.sent)) return true
      if (!access.isRenewing && !worthTrying.renewal(challenge, asked)) return false
      return access.renew(asked, status === 401 ? 'unauthorized' : 'scopes')
    },
    answered(answer) {
      const nonce = answer.header('dpop-nonce')
      if (nonce !== undefined) void accessTo(answer).storeNonce(answer.url, nonce)
    },
  }
}

/** Tokens never go to another origin than the connection's, and never cross a network in the clear. */
function mayShowToken({ server, url }: CredentialsRequest): boolean {
  const to = new URL(url)
  return isSecure(to) && to.origin === new URL(server).origin
}

/** 2026-07-28/basic/authorization#step-up-authorization-flow: no more than a few times for a resource and operation. */
function renewalLimits() {
  const inTenMinutes = attemptLimiter(10 * 60_000)
  const inOneMinute = attemptLimiter(60_000)
  return {
    nonce: ({ server }: Challenge) => inOneMinute(`nonce ${canonicalUri(server)}`, mostNonces),
    renewal({ server, status, method }: Challenge, { scopes = [] }: ChallengeDemands) {
      const uri = canonicalUri(server)
      if (status === 401) return inOneMinute(`401 ${uri}`, mostRenewals)
      const operation = `403 ${uri} ${method}`
      const same = `${operation} ${[...scopes].sort().join(' ')}`
      return inTenMinutes(same, mostForSameScopes) && inTenMinutes(operation, mostForAnyScopes)
    },
  }
}
