// Logins to upstreams that want to know who is calling, as they are begun, ended and shown. Nothing here is secret.

/** One login that is good until it is forgotten, or the upstream does not take it any more. */
export type LoginView = {
  /** Moment in milliseconds since 1970. */
  readonly since: number
  readonly issuer: string
  /** What was asked for. */
  readonly scopes: readonly string[]
}

export type LoginRequest = {
  readonly server: string
  /** The caller whose login it is; the gateway's own if not said. */
  readonly user?: string
  /** Where the person's browser comes back to. */
  readonly redirectUri: string
  /** Asked for as well. */
  readonly scopes?: readonly string[]
  /** Only the person who began the login may finish it. */
  readonly by: string
}

/** A login that waits for a person to come back. */
export type PendingLogin = {
  readonly login: string
  readonly server: string
  readonly user?: string
  /** Where the person has to go. */
  readonly page: string
  readonly issuer: string
  readonly scopes: readonly string[]
  readonly expiresAt: number
}

/** A login that is forgotten here, and whether its tokens are worth nothing any more. */
export type LogoutResult = {
  readonly revoked: boolean
  /** Why they are not revoked. */
  readonly note?: string
}

/** Why a login came to nothing: what was named is unknown, does not fit the config, or has failed. */
export class LoginFailure extends Error {
  override name = 'LoginFailure'
  readonly why: 'unknown' | 'unfit' | 'failed'

  constructor(why: LoginFailure['why'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.why = why
  }
}
