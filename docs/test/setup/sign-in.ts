// A shop with a login, its authorization server, and a person who agrees to everything.
import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { server, tool } from 'toolwire'
import { nodeHandler } from 'toolwire/node'

type Grant = { who: string; scope: string; challenge?: string | null }
const codes = new Map<string, Grant>()
const tokens = new Map<string, Grant>()

async function served(listener: (origin: string) => RequestListener): Promise<string> {
  const http = createServer((request, response) => listener(origin)(request, response))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}` // a server on TCP has a port
  http.unref()
  return origin
}

const metadata = (origin: string) => ({
  issuer: origin,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  revocation_endpoint: `${origin}/revoke`,
  registration_endpoint: `${origin}/register`,
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'private_key_jwt'],
  dpop_signing_alg_values_supported: ['ES256'],
  authorization_response_iss_parameter_supported: true,
})

/** The person agrees immediately, and is redirected. */
function agreed(asked: URLSearchParams, iss: string): string {
  const code = randomUUID()
  codes.set(code, { who: 'ana', scope: asked.get('scope') ?? '', challenge: asked.get('code_challenge') })
  const back = new URL(asked.get('redirect_uri') ?? '')
  for (const [name, value] of Object.entries({ code, iss, state: asked.get('state') ?? '' })) back.searchParams.set(name, value)
  return back.href
}

function granted(form: URLSearchParams, client: string): Grant | undefined {
  if (form.get('grant_type') !== 'authorization_code') return { who: client, scope: form.get('scope') ?? '' }
  const grant = codes.get(form.get('code') ?? '')
  const proof = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url')
  return grant?.challenge === proof ? grant : undefined
}

const idJag = 'urn:ietf:params:oauth:token-type:id-jag'
const named = (basic = '') =>
  Buffer.from(basic.replace(/^Basic /, ''), 'base64')
    .toString()
    .split(':')[0]

/** The authorization server, for people and programs. */
export const issuer = await served((origin) => async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', origin)
  const reply = (value: object, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  if (pathname === '/.well-known/oauth-authorization-server') return reply(metadata(origin))
  if (pathname === '/authorize') return response.writeHead(302, { location: agreed(searchParams, origin) }).end()
  if (pathname === '/register') return reply({ client_id: randomUUID() }, 201)
  if (pathname === '/revoke') return response.end()
  if (pathname !== '/token') return response.writeHead(404).end()
  const form = new URLSearchParams(await text(request))
  const access_token = randomUUID()
  if (form.get('requested_token_type') === idJag) return reply({ access_token, issued_token_type: idJag, token_type: 'N_A' })
  const grant = granted(form, named(request.headers.authorization) || (form.get('client_id') ?? ''))
  if (!grant) return reply({ error: 'invalid_grant' }, 400)
  tokens.set(access_token, grant)
  reply({ access_token, token_type: request.headers.dpop ? 'DPoP' : 'Bearer', expires_in: 3600, scope: grant.scope })
})

const shop = server({
  name: 'shop',
  version: '1.0.0',
  tools: {
    whoami: tool({ description: 'Tells who is calling', run: (_, ctx) => ctx.caller.id }),
    refund: tool({ description: 'Pays back', run: (_, ctx) => `paid back by ${ctx.caller.id}` }),
  },
})

/** The caller and the kind of its token. */
function callerOf(authorization = '') {
  const [scheme, token = ''] = authorization.split(' ')
  const grant = tokens.get(token)
  return grant && { id: `${grant.who} (${scheme})`, scopes: grant.scope.split(' ') }
}

const origin = await served((own) => {
  const challenge = 'Bearer scope="orders:read"'
  const serve = nodeHandler(shop, {
    hosts: ['127.0.0.1'],
    challenge,
    authenticate: ({ header }) => callerOf(header('authorization')),
  })
  return (request, response) => {
    if (request.url === '/.well-known/oauth-protected-resource/mcp')
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ resource: `${own}/mcp`, authorization_servers: [issuer] }))
    const caller = callerOf(request.headers.authorization)
    const lacks = caller && request.headers['mcp-name'] === 'refund' && !caller.scopes.includes('orders:write')
    if (!lacks) return serve(request, response)
    const why = 'Bearer error="insufficient_scope", scope="orders:write"'
    response.writeHead(403, { 'www-authenticate': why }).end()
  }
})
export const url = `${origin}/mcp`

async function freePort(): Promise<number> {
  const http = createServer()
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo // a server on TCP has a port
  await new Promise((resolve) => http.close(resolve))
  return port
}

/** The redirect address of the client. */
export const redirectUri = `http://127.0.0.1:${await freePort()}/callback`

/** The browser of the person: it opens the page and follows the redirect. */
export const browser = async (page: URL): Promise<void> => {
  await (await fetch(page)).text()
}

export const privateKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString()
