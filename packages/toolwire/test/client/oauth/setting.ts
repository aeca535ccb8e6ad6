// The default setting: an authorization server, an MCP server that trusts it, and a person who agrees.
import { type OAuthOptions, oauth } from '../../../src/client/oauth/index.js'
import type { Credentials } from '../../../src/peer/client-transport.js'
import { type Authority, type AuthorityScript, agree, authority } from './authority.js'
import { type Guarded, type GuardedScript, guarded } from './guarded.js'

export const redirectUri = 'http://127.0.0.1:3000/callback'

export interface Setting extends AsyncDisposable {
  readonly as: Authority
  readonly server: Guarded
}

export async function setting(as: AuthorityScript = {}, server: Partial<GuardedScript> = {}): Promise<Setting> {
  const first = await authority(as)
  const second = await guarded({ issuers: () => [first.issuer], ...server })
  return {
    as: first,
    server: second,
    async [Symbol.asyncDispose]() {
      await first[Symbol.asyncDispose]()
      await second[Symbol.asyncDispose]()
    },
  }
}

export const person = (options: Partial<OAuthOptions> = {}): Credentials => oauth({ redirectUri, authorize: agree, ...options })
