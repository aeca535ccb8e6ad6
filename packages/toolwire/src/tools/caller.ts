/** Who is calling, as far as someone has verified it. */
export type Caller = {
  readonly id: string
  /** What the caller may do; '*' stands for everything. */
  readonly scopes: readonly string[]
  /** Nobody has verified this caller, so limits per caller would mix strangers up. */
  readonly anonymous?: boolean
  /** Moment (milliseconds since 1970) after which the credentials no longer hold. */
  readonly expiresAt?: number
  /** Can come back with more scopes, so it is told which ones it lacks. */
  readonly stepsUp?: boolean
}

export const anonymous: Caller = { id: 'anonymous', scopes: [], anonymous: true }

/** The person who started this process: there is nobody else on a pipe. */
export const localUser: Caller = { id: 'local', scopes: ['*'] }

export const holds = (caller: Caller, scopes: readonly string[]): boolean =>
  scopes.every((scope) => caller.scopes.includes(scope)) || caller.scopes.includes('*')
