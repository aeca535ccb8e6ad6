import type { Credentials } from 'toolwire/client'
import type { types } from 'toolwire/relay'
import { RenewalGate } from './renewal-gate.js'

type RenewingCredentialsOptions = {
  readonly inner: Credentials
  /** Grows whenever there are other tokens. */
  readonly written: { readonly count: number }
  /** What is thrown where new tokens do not help, or are not to be had. */
  readonly over: () => Error
}

/** Credentials that are renewed once when they are refused, however many requests were, and never again before they were taken. */
export function renewingCredentials({ inner, written, over }: RenewingCredentialsOptions): Credentials {
  const gate = new RenewalGate()
  let renewal: Promise<boolean> | undefined
  const renew = async (challenge: types.Challenge): Promise<boolean> => {
    const before = written.count
    try {
      return await inner.refused(challenge)
    } finally {
      if (written.count !== before) gate.renewed()
    }
  }
  return {
    async headers(request) {
      const headers = await inner.headers(request)
      gate.sent()
      return headers
    },
    answered(answer) {
      inner.answered?.(answer)
      gate.answered(answer.status)
    },
    async refused(challenge) {
      // RFC 9449 section 9: a nonce is missing, and no other token would do better.
      if (challenge.status !== 401 || challenge.wwwAuthenticate?.includes('use_dpop_nonce')) return inner.refused(challenge)
      const turn = renewal ? 'renew' : gate.refused()
      if (turn === 'renew')
        renewal ??= renew(challenge).finally(() => {
          renewal = undefined
        })
      if (turn === 'again' || (turn === 'renew' && (await renewal))) return true
      throw over()
    },
  }
}
