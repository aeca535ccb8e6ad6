// Logins whose users have not returned from the login page yet.

import { type LoginFlow, loginTimeoutMs } from './login-flow.js'
import type { LoginOwner } from './login-messages.js'
import type { StoredLogin } from './login-store.js'
import { LoginFailure, type PendingLogin } from './logins.js'

type PendingLoginFlow = {
  readonly whose: LoginOwner
  readonly by: string
  readonly flow: LoginFlow
  readonly pending: PendingLogin
  /** The data to store once the login has succeeded. */
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
        throw new LoginFailure('failed', `${most} logins are pending already. Finish one of them, or wait a few minutes`)
    },
    add(one: PendingLoginFlow): void {
      const { login } = one.pending
      all.set(login, one)
      setTimeout(() => giveUp(login), loginTimeoutMs).unref()
    },
    /** Takes a pending login, which can be used only once, whether it succeeds or fails. */
    take(login: string, by: string): PendingLoginFlow {
      const one = all.get(login)
      if (one?.by !== by)
        throw new LoginFailure('unknown', 'This login is not pending: it has ended or took too long. Start another login')
      all.delete(login)
      return one
    },
    close(): void {
      for (const login of all.keys()) giveUp(login)
    },
  }
}
