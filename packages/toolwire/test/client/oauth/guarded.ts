// The login of an MCP server: metadata, challenges and token checks.
import { type Answer, type Asked, json, nothing, type Web, web } from './web.js'

export type GuardedScript = {
  /** Path of the MCP endpoint. */
  path?: string
  /** The authorization servers that the metadata names. */
  issuers: () => readonly string[]
  metadataAt?: string | false
  metadata?: (own: Record<string, unknown>) => Record<string, unknown>
  /** A response that replaces the metadata, or undefined for the metadata. */
  failMetadata?: () => Answer | undefined
  /** The WWW-Authenticate header of a 401, if any. */
  challenge?: (origin: string) => string | undefined
  /** Refuses a request with this token, or returns undefined to accept it. */
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
