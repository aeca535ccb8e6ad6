// WWW-Authenticate, as RFC 9110 section 11.6.1 has it: challenges and their parameters are both lists, in one list.

/** One challenge, its scheme and the names of its parameters in lower case. */
type AuthChallenge = { readonly scheme: string; readonly params: ReadonlyMap<string, string> }

/** What the challenges ask of an OAuth client. */
export type ChallengeDemands = {
  readonly resourceMetadata?: string | undefined
  readonly scopes?: readonly string[] | undefined
  readonly error?: string | undefined
  /** Whether the server wants proof of possession. */
  readonly dpop: boolean
}

/** What the Bearer and DPoP challenges say; of several that say the same thing, the first. */
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
/** A word, and what it is set to; several equals signs are the padding of a token68. Each part begins where no other can. */
const item = new RegExp(`([ \\t,]*)(${letter}+|${quoted}|)([ \\t]*=+[ \\t]*(${quoted}|${letter}*))?`, 'g')

/** Reads what servers send, commas forgotten or in excess included, in one pass. */
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
