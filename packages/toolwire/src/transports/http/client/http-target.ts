/** The address of a server, for HTTP and for display. */
export type HttpTarget = {
  readonly origin: string
  /** The path and the query. */
  readonly path: string
  /** The URL for display, without anything secret. */
  readonly name: string
}

/** Splits the URL of a server; throws if the URL cannot be used. */
export function httpTargetOf(url: URL): HttpTarget {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`A server's URL must begin with http: or https:, not ${url.protocol}`)
  if (url.username !== '' || url.password !== '') {
    throw new TypeError(`The URL of ${url.host} contains a user name or a password; pass them as a header or as credentials`)
  }
  return { origin: url.origin, path: url.pathname + url.search, name: url.origin + url.pathname }
}

/** Resolves a reference; undefined if it leads to another origin, or holds credentials. */
export function sameOrigin(reference: string, base: string): URL | undefined {
  const url = URL.canParse(reference, base) ? new URL(reference, base) : undefined
  const stays = url !== undefined && url.origin === new URL(base).origin && url.username === '' && url.password === ''
  return stays ? url : undefined
}
