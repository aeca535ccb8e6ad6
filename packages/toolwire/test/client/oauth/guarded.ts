// An MCP server behind a login, as far as its login goes.
import { type Answer, type Asked, json, nothing, type Web, web } from './web.js'

export type GuardedScript = {
  /** Of the MCP endpoint. */
  path?: string
  /** The issuers that it names. */
  issuers: () => readonly string[]
  metadataAt?: string | false
  metadata?: (own: Record<string, unknown>) => Record<string, unknown>
  /** An answer in place of the metadata, or undefined to give the metadata. */
  failMetadata?: () => Answer | undefined
  /** WWW-Authenticate of a 401; none if undefined. */
  challenge?: (origin: string) => string | undefined
  /** Says no to a request with this token, or undefined to let it through. */
  refuse?: (token: string, asked: Asked) => Answer | undefined
}

export interface Guarded extends Web {
  readonly url: string
  readonly script: GuardedScript
}

export async function guarded(script: GuardedScript): Promise<Guarded> {
  const { path = '/mcp' } = script
  const server = await web((origin) => (asked) => {
    const at = script.metadataAt ?? `/.well-known/oauth-protected-resource${path}`
    if (asked.path === at) return script.failMetadata?.() ?? described(script, origin + path)
    if (asked.path !== path && asked.path !== `${path}/`) return nothing
    const [scheme, token] = (asked.headers.authorization ?? '').split(' ')
    if (!token || !/^(Bearer|DPoP)$/.test(scheme!)) return refusal(script, origin)
    return script.refuse?.(token, asked) ?? json({ ok: true })
  })
  return { ...server, url: server.origin + path, script }
}

function described({ issuers, metadata }: GuardedScript, resource: string): Answer {
  const own = { resource, authorization_servers: issuers() }
  return json(metadata ? metadata(own) : own)
}

export function refusal({ challenge }: GuardedScript, origin: string): Answer {
  const text = challenge ? challenge(origin) : 'Bearer realm="mcp"'
  return { status: 401, ...(text !== undefined && { headers: { 'www-authenticate': text } }) }
}

export const needs = (scope: string): Answer => ({
  status: 403,
  headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
})
