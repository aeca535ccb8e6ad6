import type { AuthorizationServer } from 'oauth4webapi'

/** What there is to choose scopes from. */
export type ScopeSources = {
  /** In the challenge: the scopes that this operation needs. */
  readonly challenged?: readonly string[] | undefined
  /** In the resource metadata. */
  readonly supported?: readonly string[] | undefined
  /** Asked for before, so that stepping up does not lose them. */
  readonly earlier: readonly string[]
  /** The caller's own. */
  readonly wanted?: readonly string[] | undefined
  readonly offline: boolean
}

const offlineAccess = 'offline_access'

/** Which scopes to ask for; none means to leave the parameter out. 2026-07-28/basic/authorization#scope-selection-strategy */
export function chooseScopes(from: ScopeSources, as: AuthorizationServer): string[] {
  // The resource's own list has no business to ask for a refresh token: that is for the caller to want.
  const basic = from.supported?.filter((scope) => scope !== offlineAccess) ?? []
  const start = from.challenged ? [...from.challenged, ...(from.wanted ?? [])] : (from.wanted ?? basic)
  const offline = from.offline && as.scopes_supported?.includes(offlineAccess) ? [offlineAccess] : []
  return [...new Set([...from.earlier, ...start, ...offline])]
}
