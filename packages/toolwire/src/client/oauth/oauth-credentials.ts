import { BoundedMap } from '../../bounds/bounded-map.js'
import type { Challenge, Credentials } from '../../peer/client-transport.js'
import { type ChallengeDemands, readChallengeDemands } from './challenge.js'
import { canonicalUri } from './discovery/canonical-uri.js'
import { isSecure } from './egress/reach.js'
import type { AccessSettings, RenewalReason } from './renew-tokens.js'
import { ServerAccess } from './server-access.js'
import { type DpopProofs, dpopProofs } from './tokens/dpop-proofs.js'
import type { Vault } from './tokens/vault.js'

const mostKept = 1_000

/** Takes note of an attempt, unless there have been enough of them lately. */
type AttemptLimiter = (key: string, most: number) => boolean

/** Counts attempts within a time: a server that is never content must not keep us, or a person, busy. */
function attemptLimiter(withinMs: number, now: () => number = () => performance.now()): AttemptLimiter {
  const moments = new BoundedMap<string, number[]>(mostKept)
  return (key, most) => {
    const recent = (moments.get(key) ?? []).filter((moment) => moment > now() - withinMs)
    if (recent.length >= most) return false
    moments.set(key, [...recent, now()])
    return true
  }
}

/** The same operation is not worth more than so many new tokens. */
const mostForSameScopes = 2
const mostForAnyScopes = 5
const mostRenewals = 3
const mostNonces = 10

/** Tokens for every server that asks for them, each server with its own and none with another's. */
export function oauthCredentials(unsigned: Omit<AccessSettings, 'proofs'>): Credentials {
  const setting = { ...unsigned, proofs: lazyProofs(unsigned.vault) }
  const accesses = new Map<string, ServerAccess>()
  const accessTo = (url: string): ServerAccess => {
    const server = canonicalUri(url)
    const access = accesses.get(server) ?? new ServerAccess(server, setting)
    accesses.set(server, access)
    return access
  }
  const worthTrying = renewalLimits()
  return {
    // Tokens never cross a network in the clear.
    headers: (request) => (isSecure(new URL(request.url)) ? accessTo(request.url).headers(request) : {}),
    async refused(challenge) {
      const asked = readChallengeDemands(challenge.wwwAuthenticate)
      const access = accessTo(challenge.url)
      if (await takeNonce(challenge, asked, access)) return worthTrying.nonce(challenge)
      const reason = reasonOf(challenge, asked)
      if (!reason) return false
      if (access.isLate()) return true
      if (!access.isRenewing && !worthTrying.renewal(challenge, asked)) return false
      return access.renew(asked, reason)
    },
    answered({ url, header }) {
      const nonce = header('dpop-nonce')
      const access = accessTo(url)
      access.answered()
      if (nonce !== undefined) void access.learn(url, nonce)
    },
  }
}

/** One pair of keys for all servers, made when it is first needed. */
function lazyProofs(vault: Vault): () => Promise<DpopProofs> {
  let made: Promise<DpopProofs> | undefined
  return () => {
    made ??= dpopProofs(vault)
    return made
  }
}

function reasonOf({ status }: Challenge, { error }: ChallengeDemands): RenewalReason | undefined {
  if (status === 401) return 'unauthorized'
  return error === 'insufficient_scope' ? 'scopes' : undefined
}

/** RFC 9449 section 9: not the token is wrong, only the proof. */
async function takeNonce(
  { url, header, status }: Challenge,
  { error }: ChallengeDemands,
  access: ServerAccess,
): Promise<boolean> {
  const nonce = header('dpop-nonce')
  if (status !== 401 || error !== 'use_dpop_nonce' || nonce === undefined) return false
  await access.learn(url, nonce)
  return true
}

/** 2026-07-28/basic/authorization#step-up-authorization-flow: no more than a few times for a resource and operation. */
function renewalLimits() {
  const inTenMinutes = attemptLimiter(10 * 60_000)
  const inOneMinute = attemptLimiter(60_000)
  return {
    nonce: ({ url }: Challenge) => inOneMinute(`nonce ${canonicalUri(url)}`, mostNonces),
    renewal({ url, status, method }: Challenge, { scopes = [] }: ChallengeDemands) {
      const server = canonicalUri(url)
      if (status === 401) return inOneMinute(`401 ${server}`, mostRenewals)
      const operation = `403 ${server} ${method}`
      const same = `${operation} ${[...scopes].sort().join(' ')}`
      return inTenMinutes(same, mostForSameScopes) && inTenMinutes(operation, mostForAnyScopes)
    },
  }
}
