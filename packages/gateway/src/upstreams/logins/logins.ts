// Public types of logins to upstreams. None of them contains a secret.

/** A login, which is valid until it is removed or the upstream rejects it. */
export type LoginView = {
  /** Milliseconds since 1970. */
  readonly since: number
  readonly issuer: string
  readonly scopes: readonly string[]
}

export type LoginRequest = {
  readonly server: string
  /** The caller who owns the login; the gateway itself if undefined. */
  readonly user?: string
  /** The URI that the person's browser returns to. */
  readonly redirectUri: string
  /** Additional scopes to request. */
  readonly scopes?: readonly string[]
  /** Only the person who started the login may finish it. */
  readonly by: string
}

/** A login that waits for the person to return. */
export type PendingLogin = {
  readonly login: string
  readonly server: string
  readonly user?: string
  /** The page where the person logs in. */
  readonly page: string
  readonly issuer: string
  readonly scopes: readonly string[]
  readonly expiresAt: number
}

/** The return of a person from the login page. */
export type LoginReturn = {
  readonly login: string
  /** The full URL that the browser returned to. */
  readonly address: string
  readonly by: string
}

export type LogoutResult = {
  readonly revoked: boolean
  readonly note?: string
}

/** The reason that a login failed: an unknown server or login, a conflict with the config, or an error on the way. */
export class LoginFailure extends Error {
  override name = 'LoginFailure'
  readonly why: 'unknown' | 'unfit' | 'failed'

  constructor(why: LoginFailure['why'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.why = why
  }
}

export const loginNotPending = (): LoginFailure =>
  new LoginFailure('unknown', 'This login is not pending: it has ended or took too long. Start another login')
