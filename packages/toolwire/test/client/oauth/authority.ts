// A scripted authorization server that behaves correctly by default.
import { type Answer, type Asked, json, nothing, type Web, web } from './web.js'

type Metadata = Record<string, unknown>

export type AuthorityScript = {
  /** The path of the issuer. */
  path?: string
  /** The path of the metadata; by default the standard one. */
  metadataAt?: (path: string) => string
  metadata?: (own: Metadata, origin: string) => Metadata | undefined
  register?: (asked: Asked) => Answer
  /** Changes the URL that the person is redirected to. */
  redirect?: (answer: URL) => void
  token?: (form: URLSearchParams, asked: Asked) => Answer | undefined | Promise<Answer>
  /** Handles revocation, which is unsupported by default. */
  revoke?: (form: URLSearchParams, asked: Asked) => Answer | Promise<Answer>
}

export interface Authority extends Web {
  readonly issuer: string
  readonly script: AuthorityScript
  /** The requests to the authorization endpoint and to the token endpoint. */
  authorizations(): URLSearchParams[]
  redemptions(): URLSearchParams[]
  revocations(): URLSearchParams[]
  registrations(): Record<string, unknown>[]
}

export const wellKnown = (path: string) => `/.well-known/oauth-authorization-server${path}`
let count = 0

export async function authority(script: AuthorityScript = {}): Promise<Authority> {
  const { path = '' } = script
  const server = await web((origin) => async (asked) => {
    if (asked.path === (script.metadataAt ?? wellKnown)(path)) return described(script, origin, path)
    if (asked.path === '/authorize') return sentBack(script, asked, origin + path)
    if (asked.path === '/register') return (script.register ?? registered)(asked)
    if (asked.path === '/token') return (await script.token?.(new URLSearchParams(asked.body), asked)) ?? given(asked)
    if (asked.path === '/revoke' && script.revoke) return script.revoke(new URLSearchParams(asked.body), asked)
    return nothing
  })
  const forms = (at: string) => server.at(at).map(({ body }) => new URLSearchParams(body))
  return {
    ...server,
    issuer: server.origin + path,
    script,
    authorizations: () => server.at('/authorize').map(({ query }) => query),
    redemptions: () => forms('/token'),
    revocations: () => forms('/revoke'),
    registrations: () => server.at('/register').map(({ body }) => JSON.parse(body)),
  }
}

function described({ metadata, revoke }: AuthorityScript, origin: string, path: string): Answer {
  const own = {
    issuer: origin + path,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    ...(revoke && { revocation_endpoint: `${origin}/revoke` }),
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
  }
  const document = metadata ? metadata(own, origin) : own
  return document === undefined ? nothing : json(document)
}

function sentBack({ redirect }: AuthorityScript, { query }: Asked, issuer: string): Answer {
  const answer = new URL(query.get('redirect_uri') ?? '')
  answer.searchParams.set('code', `code-${++count}`)
  answer.searchParams.set('state', query.get('state') ?? '')
  answer.searchParams.set('iss', issuer)
  redirect?.(answer)
  return { status: 302, headers: { location: answer.href } }
}

const registered = () => json({ client_id: `client-${++count}` }, 201)

function given({ body }: Asked): Answer {
  const form = new URLSearchParams(body)
  const scope = form.get('scope')
  return json({ access_token: `access-${++count}`, token_type: 'Bearer', expires_in: 3600, ...(scope !== null && { scope }) })
}

/** A person who agrees to everything. Returns the redirect URL. */
export async function agree(page: URL): Promise<string> {
  const answer = await fetch(page, { redirect: 'manual' })
  return answer.headers.get('location') ?? ''
}
