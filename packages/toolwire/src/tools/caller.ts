/** Who is calling, as far as someone has verified it. */
export type Caller = {
  readonly id: string
  /** What the caller may do; '*' stands for everything. */
  readonly scopes: readonly string[]
  /** Nobody has verified this caller, so limits per caller would mix strangers up. */
  readonly anonymous?: boolean
  /** Limits for each caller hold for all who come under this name together, though nobody has verified them. */
  readonly countsAsOne?: boolean
  /** Moment (milliseconds since 1970) after which the credentials no longer hold. */
  readonly expiresAt?: number
  /** Can come back with more scopes, so it is told which ones it lacks. */
  readonly stepsUp?: boolean
}

export const anonymous: Caller = { id: 'anonymous', scopes: [], anonymous: true }

/** The person who started this process: there is nobody else on a pipe. */
export const localUser: Caller = { id: 'local', scopes: ['*'] }

/** Whether strangers share this name, so that a limit for one caller would have to do for all of them. */
export const isCrowd = ({ anonymous, countsAsOne }: Caller): boolean => anonymous === true && countsAsOne !== true

export const holdsScopes = (caller: Caller, scopes: readonly string[]): boolean =>
  scopes.every((scope) => caller.scopes.includes(scope)) || caller.scopes.includes('*')
