/** The caller of a request, as far as it is authenticated. */
export type Caller = {
  readonly id: string
  /** Scopes that the caller holds; '*' stands for all. */
  readonly scopes: readonly string[]
  /** The caller is not authenticated, so a limit per caller would be shared by strangers. */
  readonly anonymous?: boolean
  /** Limits per caller apply to this name as a whole, even though it is not authenticated. */
  readonly countsAsOne?: boolean
  /** Time (milliseconds since 1970) at which the credentials expire. */
  readonly expiresAt?: number
  /** The client can return with more scopes, so a refusal names the missing ones. */
  readonly stepsUp?: boolean
}

export const anonymous: Caller = { id: 'anonymous', scopes: [], anonymous: true }

/** The person who started this process: a pipe has no other caller. */
export const localUser: Caller = { id: 'local', scopes: ['*'] }

/** True if strangers share this caller, so that a limit per caller would hold for all of them together. */
export const isCrowd = ({ anonymous, countsAsOne }: Caller): boolean => anonymous === true && countsAsOne !== true

export const holdsScopes = (caller: Caller, scopes: readonly string[]): boolean =>
  scopes.every((scope) => caller.scopes.includes(scope)) || caller.scopes.includes('*')
