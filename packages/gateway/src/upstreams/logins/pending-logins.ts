// Logins whose people have gone to a page and not come back yet.

import { type LoginFlow, loginTimeoutMs } from './login-flow.js'
import type { LoginOwner } from './login-messages.js'
import type { StoredLogin } from './login-store.js'
import { LoginFailure, type PendingLogin } from './logins.js'

type PendingLoginFlow = {
  readonly whose: LoginOwner
  /** Who has begun it. */
  readonly by: string
  readonly flow: LoginFlow
  readonly begun: PendingLogin
  /** What is kept of it if it succeeds. */
  readonly kept: StoredLogin
}

const most = 32

export function pendingLogins() {
  const all = new Map<string, PendingLoginFlow>()
  const giveUp = (login: string): void => {
    all.get(login)?.flow.cancel()
    all.delete(login)
  }
  return {
    checkRoom(): void {
      if (all.size >= most)
        throw new LoginFailure('failed', `${most} logins are under way already; end one of them, or wait a few minutes`)
    },
    add(one: PendingLoginFlow): void {
      const { login } = one.begun
      all.set(login, one)
      setTimeout(() => giveUp(login), loginTimeoutMs).unref()
    },
    /** It is good once, however it ends. */
    take(login: string, by: string): PendingLoginFlow {
      const one = all.get(login)
      if (one?.by !== by)
        throw new LoginFailure('unknown', 'No such login is under way; it has ended, or took too long. Begin another one.')
      all.delete(login)
      return one
    },
    close(): void {
      for (const login of all.keys()) giveUp(login)
    },
  }
}
