// Schemes that run code, carry their own content, or reach into the program that shows the link.
const refused: ReadonlySet<string> = new Set([
  ...['javascript', 'vbscript', 'livescript', 'data', 'blob', 'filesystem', 'about', 'view-source', 'jar', 'mhtml'],
  ...['chrome', 'edge', 'shell', 'search-ms', 'ms-msdt', 'ms-settings', 'ms-officecmd'],
])

/** Returns a test for links that may be shown. Servers invent schemes, so without a list only dangerous schemes are refused. */
export function allowedLinks(schemes: readonly string[] | undefined): (uri: unknown) => boolean {
  const allowed = schemes && new Set(schemes.map((scheme) => scheme.toLowerCase()))
  return (uri) => {
    const scheme = schemeOf(uri)
    return scheme !== undefined && (allowed ? allowed.has(scheme) : !refused.has(scheme))
  }
}

/** Browsers skip blanks and controls before and inside of a scheme, so these are removed first. */
function schemeOf(uri: unknown): string | undefined {
  if (typeof uri !== 'string') return undefined
  const start = uri.slice(0, 256).replace(/[\0-\u0020]/g, '')
  return /^([a-z][a-z0-9+.-]*):/i.exec(start)?.[1]?.toLowerCase()
}

/** Clients fetch icons, so only safe schemes pass. */
export const isIconUrl = (src: unknown): boolean => typeof src === 'string' && /^(?:https:|data:image\/)/i.test(src)
