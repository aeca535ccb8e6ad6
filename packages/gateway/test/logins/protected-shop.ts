// A shop that requires a login, its authorization server, and people who agree to everything.
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { prompt, resource, server, tool } from 'toolwire'
import { nodeHandler } from 'toolwire/node'
import { onTestFinished } from 'vitest'
import { type Authority, authority } from '../../../toolwire/test/client/oauth/authority.js'
import { type Answer, json } from '../../../toolwire/test/client/oauth/web.js'
import type { UpstreamConfig, UpstreamLogin } from '../../src/config/gateway-config.js'
import { upstreamConfig } from '../support/running-gateway.js'

export type Shop = {
  readonly url: string
  readonly as: Authority
  /** The person at the browser. */
  who: string
  /** The lifetime of new tokens in seconds. */
  lifetime: number
  /** Rejects every token. */
  rejectsTokens: boolean
  /** The nonce that proofs of requests with a valid token must contain. */
  nonce: string | undefined
  /** Names this authorization server instead of the shop's own. */
  issuer: string | undefined
  /** Runs before every answer to a refresh; a returned answer replaces it. */
  renewing: () => Promise<Answer | undefined>
  /** Every `Authorization` header at the MCP endpoint, and its proof; undefined if absent. */
  readonly authorizationHeaders: (string | undefined)[]
  readonly proofs: (string | undefined)[]
  /** The valid tokens with their scopes. A deleted token is refused. */
  readonly good: Map<string, readonly string[]>
  /** The owner of each refresh token, which is usable once. */
  readonly refreshers: Map<string, string>
  /** The number of refresh requests. */
  refreshes(): number
}

export type ShopOptions = {
  readonly revisions?: readonly string[]
  /** Accepts requests without a token. */
  readonly open?: true
  /** Requires signed requests (DPoP). */
  readonly dpop?: true
  /** Supports revocation; `never` announces it but does not answer. */
  readonly revokes?: true | 'never'
}

let count = 0

/** Tokens contain their owner: `access-ana-7`. */
export async function shopWithLogin(options: ShopOptions = {}): Promise<Shop> {
  const as = await authorityFor(options, () => shop)
  const authorizationHeaders: Shop['authorizationHeaders'] = []
  const proofs: Shop['proofs'] = []
  const origin = await served((own) => {
    const serve = nodeHandler(appOf(options), {
      hosts: ['127.0.0.1'],
      challenge: 'Bearer scope="orders"',
      legacySse: true,
      authenticate: ({ header }) => callerOf(header('authorization'), shop, options),
    })
    return (req, res) => {
      const { authorization, dpop } = req.headers
      const path = req.url?.replace(wellKnown, '') ?? ''
      if (path !== req.url) return replied(res, 200, described(`${own}${path}`, shop, options))
      if (req.method === 'POST') {
        authorizationHeaders.push(authorization)
        proofs.push(dpop?.toString())
      }
      const scopes = shop.good.get(tokenIn(authorization) ?? '')
      if (shop.nonce !== undefined && scopes && proofIn(dpop)?.payload.nonce !== shop.nonce) {
        const wanted = { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': shop.nonce }
        return replied(res, 401, {}, wanted)
      }
      if (req.headers['mcp-name'] !== 'refund' || !scopes || scopes.includes('refunds')) return serve(req, res)
      replied(res, 403, {}, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="refunds"' })
    }
  })
  onTestFinished(() => as[Symbol.asyncDispose]())
  const shop: Shop = {
    url: `${origin}/mcp`,
    as,
    who: 'ana',
    lifetime: 3_600,
    rejectsTokens: false,
    nonce: undefined,
    issuer: undefined,
    renewing: async () => undefined,
    authorizationHeaders,
    proofs,
    good: new Map(),
    refreshers: new Map(),
    refreshes: () => as.redemptions().filter((form) => form.get('grant_type') === 'refresh_token').length,
  }
  return shop
}

const wellKnown = '/.well-known/oauth-protected-resource'
const tokenIn = (authorization = '') => /^(?:Bearer|DPoP) (.*)$/.exec(authorization)?.[1]

/** The claims of a proof, without verification. */
export function proofIn(dpop: unknown) {
  const [header, payload] = String(dpop ?? '').split('.')
  const read = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString())
  return dpop === undefined ? undefined : { header: read(header), payload: read(payload) }
}

function authorityFor({ dpop, revokes }: ShopOptions, shop: () => Shop): Promise<Authority> {
  const codes = new Map<string, { readonly who: string; readonly scopes: readonly string[] }>()
  return authority({
    metadata: (own) => ({ ...own, ...(dpop && { dpop_signing_alg_values_supported: ['ES256'] }) }),
    ...(revokes && {
      revoke(form) {
        if (revokes === 'never') return new Promise<never>(() => undefined)
        shop().good.delete(form.get('token') ?? '')
        shop().refreshers.delete(form.get('token') ?? '')
        return { status: 200 }
      },
    }),
    redirect(answer) {
      const code = `code-${++count}`
      const asked = shop().as.authorizations().at(-1)?.get('scope') ?? ''
      codes.set(code, { who: shop().who, scopes: asked.split(' ') })
      answer.searchParams.set('code', code)
    },
    async token(form, { headers }) {
      const type = headers.dpop ? 'DPoP' : 'Bearer'
      const held = codes.get(form.get('code') ?? '')
      if (held) return tokensFor({ ...held, type }, shop())
      const refresher = form.get('refresh_token') ?? ''
      const who = shop().refreshers.get(refresher)
      shop().refreshers.delete(refresher)
      const instead = await shop().renewing()
      if (instead) return instead
      return who === undefined ? json({ error: 'invalid_grant' }, 400) : tokensFor({ who, scopes: ['orders'], type }, shop())
    },
  })
}

type Grant = { readonly who: string; readonly scopes: readonly string[]; readonly type: string }

function tokensFor({ who, scopes, type }: Grant, { good, refreshers, lifetime }: Shop): Answer {
  const [access, refresh] = [`access-${who}-${++count}`, `refresh-${who}-${count}`]
  good.set(access, scopes)
  refreshers.set(refresh, who)
  return json({ access_token: access, refresh_token: refresh, token_type: type, expires_in: lifetime })
}

const described = (own: string, { as, issuer }: Shop, { dpop }: ShopOptions) => ({
  resource: own,
  authorization_servers: [issuer ?? as.issuer],
  scopes_supported: ['orders'],
  ...(dpop && { dpop_bound_access_tokens_required: true }),
})

function callerOf(authorization: string | undefined, { good, rejectsTokens }: Shop, { open }: ShopOptions) {
  const token = tokenIn(authorization)
  if (token === undefined) return open && { id: 'nobody', scopes: [] }
  return good.has(token) && !rejectsTokens ? { id: token.split('-')[1] ?? '', scopes: [] } : undefined
}

const readOnly = { readOnly: true }

const appOf = ({ revisions }: ShopOptions) =>
  server({
    name: 'shop',
    version: '1.0.0',
    ...(revisions && { revisions }),
    tools: {
      whoami: tool({ description: 'Tells who is calling', hints: readOnly, run: (_, ctx) => ctx.caller.id }),
      refund: tool({ description: 'Pays back', hints: readOnly, run: (_, ctx) => `paid back by ${ctx.caller.id}` }),
    },
    resources: { me: resource({ uri: 'shop://me', read: (ctx) => ctx.caller.id }) },
    prompts: {
      greet: prompt({
        args: { name: { complete: (_prefix, _given, { id }) => [id] } },
        run: (_, ctx) => `Hello ${ctx.caller.id}`,
      }),
    },
  })

async function served(listener: (origin: string) => RequestListener): Promise<string> {
  let listen: RequestListener = () => undefined
  const http = createServer((req, res) => listen(req, res))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}` // it listens on TCP
  listen = listener(origin)
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return origin
}

function replied(res: Parameters<RequestListener>[1], status: number, body: object, headers: Record<string, string> = {}): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** The shop in the config of a gateway. */
export const behindLogin = (
  { url }: Pick<Shop, 'url'>,
  login: Partial<UpstreamLogin> = {},
  more: Partial<UpstreamConfig> = {},
): UpstreamConfig =>
  upstreamConfig('shop', { kind: 'http', url, headers: {}, auth: { perUser: false, ...login } }, { trusted: true, ...more })
