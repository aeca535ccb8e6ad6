// Parses WWW-Authenticate (RFC 9110 section 11.6.1), in which challenges and their parameters share one list.

/** One challenge, its scheme and the names of its parameters in lower case. */
type AuthChallenge = { readonly scheme: string; readonly params: ReadonlyMap<string, string> }

/** The demands that challenges make on an OAuth client. */
export type ChallengeDemands = {
  readonly resourceMetadata?: string | undefined
  readonly scopes?: readonly string[] | undefined
  readonly error?: string | undefined
  /** True if the server wants proof of possession. */
  readonly dpop: boolean
}

/** Reads the Bearer and DPoP challenges. The first value of each parameter counts. */
export function readChallengeDemands(header = ''): ChallengeDemands {
  const ours = parseChallenges(header).filter(({ scheme }) => scheme === 'bearer' || scheme === 'dpop')
  const first = (name: string) => ours.find(({ params }) => params.has(name))?.params.get(name)
  const scopes = first('scope')?.split(' ').filter(Boolean)
  return {
    resourceMetadata: first('resource_metadata'),
    scopes: scopes?.length ? scopes : undefined,
    error: first('error'),
    dpop: ours.some(({ scheme }) => scheme === 'dpop'),
  }
}

const quoted = String.raw`"(?:[^"\\]|\\[\s\S]?)*"?`
const letter = String.raw`[^ \t,="]`
/** A word and its value; several equals signs are the padding of a token68. */
const item = new RegExp(`([ \\t,]*)(${letter}+|${quoted}|)([ \\t]*=+[ \\t]*(${quoted}|${letter}*))?`, 'g')

/** Parses challenges in one pass, and tolerates missing and extra commas. */
export function parseChallenges(header: string): AuthChallenge[] {
  const found: { scheme: string; params: Map<string, string> }[] = []
  for (const [, separators = '', word = '', assignment, value = ''] of header.matchAll(item)) {
    const params = found.at(-1)?.params
    const name = word.toLowerCase()
    if (assignment !== undefined) {
      if (name !== '' && params && !params.has(name)) params.set(name, unquoted(value))
    } else if (name !== '') {
      // A word right behind a scheme, with no comma between them, is the scheme's token68.
      if (params?.size !== 0 || separators.includes(',')) found.push({ scheme: name, params: new Map() })
    }
  }
  return found
}

const unquoted = (value: string): string =>
  value.startsWith('"') ? value.slice(1).replace(/\\([\s\S]?)|"$/g, (_, escaped = '') => escaped) : value
