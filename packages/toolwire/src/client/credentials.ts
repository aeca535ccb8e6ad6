// Makes credentials from a bearer token. spec 2025-03-26, basic/authorization#access-token-usage
import type { Credentials } from '../peer/client-transport.js'
import type { ConnectOptions } from './options.js'

type Token = string | (() => string | Promise<string>)

export function credentialsOf(auth: ConnectOptions['auth']): Credentials | undefined {
  if (!auth) return undefined
  return 'token' in auth ? bearer(auth.token) : auth
}

function bearer(token: Token): Credentials {
  if (typeof token === 'string') {
    const headers = { authorization: `Bearer ${token}` }
    return { headers: () => headers, refused: async () => false, principal: () => token }
  }
  let shown: string | undefined
  return {
    async headers() {
      shown = await token()
      return { authorization: `Bearer ${shown}` }
    },
    /** A retry makes sense only with another token. */
    async refused({ status }) {
      const refused = shown
      return status === 401 && (await token()) !== refused
    },
    principal: token,
  }
}
