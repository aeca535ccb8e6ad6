import type { ChallengeDemands } from './challenge.js'
import { findAuthorization } from './discovery/find-authorization.js'
import { egress } from './egress/egress.js'
import { reachOf } from './egress/reach.js'
import type { AccessOptions, GrantTarget, TokenGrant } from './grants/token-grant.js'
import { isRefusedToken, OAuthFailure } from './oauth-failure.js'
import { bindClient } from './registration/identify.js'
import { type DpopProofs, proofAlgorithm } from './tokens/dpop-proofs.js'
import { isStale, type Tokens } from './tokens/tokens.js'
import type { AccessRecord, Vault } from './tokens/vault.js'

export type AccessSettings = {
  readonly grant: TokenGrant
  readonly vault: Vault
  readonly options: AccessOptions & { readonly offlineAccess?: boolean }
  /** The keys that sign requests; made when they are first needed. */
  readonly proofs: () => Promise<DpopProofs>
  /** Called for tokens that may be those of another account. */
  readonly onNewAccount: () => void
}

/** The reason for new tokens: the server refused the current ones, it wants more scopes, or they are about to expire. */
export type RenewalReason = 'unauthorized' | 'scopes' | 'stale'

type Renewal = {
  /** The canonical URI of the server. */
  readonly server: string
  readonly asked: ChallengeDemands
  readonly reason: RenewalReason
  readonly current: Partial<HeldAccess>
}

/** Tokens, and the authorization server that they are from. */
export type HeldAccess = { readonly tokens: Tokens; readonly record: AccessRecord }

/** Tokens, and the way they were obtained: another process stored them, or the token endpoint answered. */
type ObtainedTokens = { readonly tokens: Tokens; readonly by: 'store' | 'refresh' | 'grant' }

/**
 * Gets new tokens in the cheapest possible way. Returns undefined if a person would have to be asked only because tokens are about to
 * expire. Discovery comes first each time, because the server may trust another authorization server by now.
 */
export async function renewTokens(settings: AccessSettings, renewal: Renewal): Promise<HeldAccess | undefined> {
  const { grant, options, vault } = settings
  const { server, asked, reason, current } = renewal
  const target = await targetOf(settings, renewal)
  const { resource } = target
  const { issuer } = target.as
  const record = { issuer, resource, resourceMetadata: asked.resourceMetadata }
  const hold = async ({ tokens, by }: ObtainedTokens, before: Tokens | undefined): Promise<HeldAccess> => {
    if (options.dpop && tokens.type !== 'DPoP')
      throw new OAuthFailure(
        'bad_answer',
        `${issuer} issued a token that is not bound to this client's key, which \`dpop\` requires`,
      )
    if (by !== 'refresh' || before?.access !== current.tokens?.access) settings.onNewAccount()
    await vault.access.put(record, server)
    if (by === 'store') return { tokens, record }
    await vault.tokens.put(tokens, issuer, resource)
    if (grant.client) await bindClient(grant.client, issuer, vault)
    return { tokens, record }
  }
  if (reason !== 'scopes') {
    const found = await vault.inTurn(async () => {
      const kept = await vault.tokens.get(issuer, resource)
      if (!kept) return undefined
      // The stored tokens were renewed elsewhere: by another process, or for the same resource under another URL.
      if (!isStale(kept) && kept.access !== current.tokens?.access) return hold({ tokens: kept, by: 'store' }, kept)
      const obtained = await refreshed(grant, target, kept)
      return obtained && hold(obtained, kept)
    })
    if (found) return found
  }
  if (reason === 'stale' && !grant.unattended) return undefined
  const earlier = await vault.tokens.get(issuer, resource)
  const tokens = await grant.obtain({ ...target, scopes: scopesFor(target, asked, options, earlier?.scopes) })
  return hold({ tokens, by: 'grant' }, earlier)
}

async function targetOf({ grant, vault, options, proofs }: AccessSettings, renewal: Renewal): Promise<GrantTarget> {
  const { server, asked, current } = renewal
  const reach = options.reach ?? reachOf(server)
  const send = egress(reach, options.fetch)
  const preferred = [grant.client?.issuer, current.record?.issuer]
  const found = await findAuthorization(server, asked, { egress: send, reach, preferred })
  // By default, requests are signed if the server wants it and the authorization server can check it.
  const signs = options.dpop ?? (found.dpop && found.as.dpop_signing_alg_values_supported?.includes(proofAlgorithm))
  return { ...found, scopes: [], egress: send, vault, server, proofs: signs ? await proofs() : undefined }
}

/** Refreshes tokens; undefined if there is no refresh token, or it is refused. */
async function refreshed(grant: TokenGrant, target: GrantTarget, kept: Tokens): Promise<ObtainedTokens | undefined> {
  const { refresh, ...rest } = kept
  if (refresh === undefined || !grant.refresh) return undefined
  let isOver = true
  const fresh = await grant.refresh(target, { ...rest, refresh }).catch((thrown: unknown) => {
    if (!isRefusedToken(thrown)) throw thrown
    isOver = false
    return undefined
  })
  if (fresh) return { tokens: fresh, by: 'refresh' }
  const { vault, as, resource } = target
  const stored = await vault.tokens.get(as.issuer, resource)
  // Another process may have used the refresh token meanwhile, and stored what it got.
  if (stored?.refresh !== refresh) return stored && stored.access !== kept.access ? { tokens: stored, by: 'store' } : undefined
  if (isOver) await vault.tokens.put(rest, as.issuer, resource)
  return undefined
}

const offlineAccess = 'offline_access'

/**
 * Returns the scopes to request; an empty list leaves the parameter out. Earlier scopes are requested again, so that a step-up does not
 * lose them. 2026-07-28/basic/authorization#scope-selection-strategy
 */
function scopesFor(
  { as, supported = [] }: GrantTarget,
  { scopes: challenged }: ChallengeDemands,
  { scopes: wanted, offlineAccess: isOffline }: AccessSettings['options'],
  earlier: readonly string[] = [],
): string[] {
  // Only the caller may request a refresh token, so `offline_access` in the resource's own list is ignored.
  const basic = supported.filter((scope) => scope !== offlineAccess)
  const start = challenged ? [...challenged, ...(wanted ?? [])] : (wanted ?? basic)
  const offline = isOffline && as.scopes_supported?.includes(offlineAccess) ? [offlineAccess] : []
  return [...new Set([...earlier, ...start, ...offline])]
}
