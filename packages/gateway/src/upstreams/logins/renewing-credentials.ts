import type { Credentials } from 'toolwire/client'
import type { types } from 'toolwire/relay'
import { RenewalGate } from './renewal-gate.js'

type RenewingCredentialsOptions = {
  readonly inner: Credentials
  /** Increases whenever new tokens are stored. */
  readonly written: { readonly count: number }
  /** The error to throw if new tokens do not help, or cannot be obtained. */
  readonly over: () => Error
}

/** Renews tokens once for all requests that were refused together, and not again before the new tokens were accepted. */
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
    ...inner,
    async headers(request) {
      const headers = await inner.headers(request)
      gate.sent(headers)
      return headers
    },
    answered(answer) {
      inner.answered?.(answer)
      gate.answered(answer.status, answer.sent)
    },
    async refused(challenge) {
      // RFC 9449 section 9: a nonce is missing, and another token would not help.
      if (challenge.status !== 401 || challenge.wwwAuthenticate?.includes('use_dpop_nonce')) return inner.refused(challenge)
      const turn = renewal ? 'renew' : gate.refused(challenge.sent)
      if (turn === 'renew')
        renewal ??= renew(challenge).finally(() => {
          renewal = undefined
        })
      if (turn === 'again' || (turn === 'renew' && (await renewal))) return true
      throw over()
    },
  }
}
