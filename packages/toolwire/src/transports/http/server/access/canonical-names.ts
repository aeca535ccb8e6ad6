// Hosts and origins as browsers and other clients write them. Any other spelling in a list of allowed names would never match.

/** The reason why no request can match this host in any case, with the spelling to use; undefined if requests can. */
export function hostFault(host: string): string | undefined {
  const canonical = canonicalHost(host)
  if (canonical === host.toLowerCase()) return undefined
  return `a host is a name or an address, with its port unless that is 80 or 443; write ${canonical ?? 'one such as app.example, 10.0.0.7:8080 or [::1]'}`
}

/** The reason why no page can have this origin in any case, with the spelling to use; undefined if pages can. */
export function originFault(origin: string): string | undefined {
  const canonical = canonicalOrigin(origin)
  if (canonical === origin.toLowerCase()) return undefined
  return `an origin is a scheme, a host and a port, without a path or a default port; write ${canonical ?? 'one such as https://app.example'}`
}

function canonicalHost(host: string): string | undefined {
  const url = urlOf(host.includes('://') ? host : `http://${host}`)
  // Names are compared as they are, so a pattern would match nothing.
  return url?.host.includes('*') ? undefined : url?.host.replace(/:(?:80|443)$/, '')
}

function canonicalOrigin(text: string): string | undefined {
  const url = urlOf(text)
  if (!url || url.host.includes('*')) return undefined
  // Schemes of extensions and programs have origins, too, which the URL Standard does not serialize.
  return (url.origin === 'null' ? `${url.protocol}//${url.host}` : url.origin).toLowerCase()
}

const urlOf = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined)
