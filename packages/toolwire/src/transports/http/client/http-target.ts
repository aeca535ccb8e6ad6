/** Where a server is, as HTTP needs it and as people may see it. */
export type HttpTarget = {
  readonly origin: string
  /** With the query. */
  readonly path: string
  /** Without anything secret. */
  readonly name: string
}

/** Takes a URL to a server, or refuses it. */
export function httpTargetOf(url: URL): HttpTarget {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`A server's URL begins with http: or https:, not ${url.protocol}`)
  if (url.username !== '' || url.password !== '') {
    throw new TypeError(`The URL of ${url.host} holds a user or a password: pass them as a header or as credentials instead`)
  }
  return { origin: url.origin, path: url.pathname + url.search, name: url.origin + url.pathname }
}

/** Where a reference leads, if it stays at this origin. */
export function sameOrigin(reference: string, base: string): URL | undefined {
  const url = URL.canParse(reference, base) ? new URL(reference, base) : undefined
  const stays = url !== undefined && url.origin === new URL(base).origin && url.username === '' && url.password === ''
  return stays ? url : undefined
}
