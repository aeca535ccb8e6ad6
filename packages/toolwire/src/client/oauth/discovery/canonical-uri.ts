/**
 * The URI that names an MCP server in tokens: lowercase scheme and host, no fragment, no query, no trailing slash.
 * 2026-07-28/basic/authorization#canonical-server-uri
 */
export function canonicalUri(server: string | URL): string {
  const url = new URL(server)
  const path = url.pathname.endsWith('/') ? url.pathname.slice(0, -1) : url.pathname
  return url.origin + path
}

/** True if a token for the resource is meant for the server: the same origin, and the same path or one above it. */
export function coversServer(resource: string, server: string): boolean {
  if (!URL.canParse(resource)) return false
  const named = new URL(resource)
  if (named.hash !== '' || named.search !== '' || named.username !== '' || named.password !== '') return false
  const above = canonicalUri(named)
  const below = canonicalUri(server)
  return below === above || below.startsWith(`${above}/`)
}
