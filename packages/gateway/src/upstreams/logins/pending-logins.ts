// Logins whose users have not returned from the login page yet.

import { type LoginFlow, loginTimeoutMs } from './login-flow.js'
import type { LoginOwner } from './login-messages.js'
import type { StoredLogin } from './login-store.js'
import { LoginFailure, loginNotPending, type PendingLogin } from './logins.js'

type PendingLoginFlow = {
  readonly whose: LoginOwner
  readonly flow: LoginFlow
  readonly pending: PendingLogin
  /** The data to store once the login has succeeded. */
  readonly kept: StoredLogin
}

const most = 32

/** A place among the pending logins, reserved before the login begins. */
class LoginPlace {
  readonly by: string
  readonly #stop = new AbortController()

  constructor(by: string) {
    this.by = by
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  cancel(): void {
    this.#stop.abort(new Error('The login was cancelled'))
  }
}

export function pendingLogins() {
  const places = new Set<LoginPlace>()
  const all = new Map<string, PendingLoginFlow & { readonly place: LoginPlace }>()
  const free = (place: LoginPlace): void => void places.delete(place)
  const forget = (login: string): void => {
    const place = all.get(login)?.place
    all.delete(login)
    if (place) free(place)
  }
  return {
    /** Reserves a place for a login. Throws if no more places are free than `by` has, so that it always leaves some. */
    reserve(by: string): LoginPlace {
      const own = [...places].filter((place) => place.by === by).length
      if (own >= most - places.size) {
        const why = `Too many logins are pending already, ${own} of them yours`
        throw new LoginFailure('failed', `${why}. Finish yours, or wait a few minutes`)
      }
      const place = new LoginPlace(by)
      places.add(place)
      return place
    },
    free,
    add(place: LoginPlace, one: PendingLoginFlow): void {
      const { login } = one.pending
      all.set(login, { ...one, place })
      const giveUp = () => {
        if (all.has(login)) place.cancel()
        forget(login)
      }
      setTimeout(giveUp, loginTimeoutMs).unref()
    },
    /** Takes a pending login, which can be used only once, whether it succeeds or fails. */
    take(login: string, by: string): PendingLoginFlow {
      const one = all.get(login)
      if (one?.place.by !== by) throw loginNotPending()
      forget(login)
      return one
    },
    close(): void {
      for (const place of places) place.cancel()
      places.clear()
      all.clear()
    },
  }
}
