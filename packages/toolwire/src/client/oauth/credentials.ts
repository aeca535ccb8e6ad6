import type { Challenge, Credentials } from '../../peer/link.js'
import { Access } from './access.js'
import { attempts } from './attempts.js'
import { canonicalUri } from './canonical.js'
import { type Asked, readAsked } from './challenge.js'
import { type Proofs, proofs } from './proofs.js'
import { isSecure } from './reach.js'
import type { AccessSetting, Reason } from './renewal.js'
import type { Vault } from './vault.js'

/** The same operation is not worth more than so many new tokens. */
const mostForSameScopes = 2
const mostForAnyScopes = 5
const mostRenewals = 3
const mostNonces = 10

/** Tokens for every server that asks for them, each server with its own and none with another's. */
export function credentials(unsigned: Omit<AccessSetting, 'proofs'>): Credentials {
  const setting = { ...unsigned, proofs: keysOf(unsigned.vault) }
  const accesses = new Map<string, Access>()
  const accessTo = (url: string): Access => {
    const server = canonicalUri(url)
    const access = accesses.get(server) ?? new Access(server, setting)
    accesses.set(server, access)
    return access
  }
  const worthTrying = bounds()
  return {
    // Tokens never cross a network in the clear.
    headers: (request) => (isSecure(new URL(request.url)) ? accessTo(request.url).headers(request) : {}),
    async refused(challenge) {
      const asked = readAsked(challenge.wwwAuthenticate)
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
function keysOf(vault: Vault): () => Promise<Proofs> {
  let made: Promise<Proofs> | undefined
  return () => {
    made ??= proofs(vault)
    return made
  }
}

function reasonOf({ status }: Challenge, { error }: Asked): Reason | undefined {
  if (status === 401) return 'unauthorized'
  return error === 'insufficient_scope' ? 'scopes' : undefined
}

/** RFC 9449 section 9: not the token is wrong, only the proof. */
async function takeNonce({ url, header, status }: Challenge, { error }: Asked, access: Access): Promise<boolean> {
  const nonce = header('dpop-nonce')
  if (status !== 401 || error !== 'use_dpop_nonce' || nonce === undefined) return false
  await access.learn(url, nonce)
  return true
}

/** 2026-07-28/basic/authorization#step-up-authorization-flow: no more than a few times for a resource and operation. */
function bounds() {
  const inTenMinutes = attempts(10 * 60_000)
  const inOneMinute = attempts(60_000)
  return {
    nonce: ({ url }: Challenge) => inOneMinute(`nonce ${canonicalUri(url)}`, mostNonces),
    renewal({ url, status, method }: Challenge, { scopes = [] }: Asked) {
      const server = canonicalUri(url)
      if (status === 401) return inOneMinute(`401 ${server}`, mostRenewals)
      const operation = `403 ${server} ${method}`
      const same = `${operation} ${[...scopes].sort().join(' ')}`
      return inTenMinutes(same, mostForSameScopes) && inTenMinutes(operation, mostForAnyScopes)
    },
  }
}
