// WWW-Authenticate, as RFC 9110 section 11.6.1 has it: challenges and their parameters are both lists, in one list.

/** One challenge, its scheme and the names of its parameters in lower case. */
type AuthChallenge = { readonly scheme: string; readonly params: ReadonlyMap<string, string> }

/** What the challenges ask of an OAuth client. */
export type ChallengeDemands = {
  readonly resourceMetadata?: string
  readonly scopes?: readonly string[]
  readonly error?: string
  /** Whether the server wants proof of possession. */
  readonly dpop: boolean
}

/** What the Bearer and DPoP challenges say; of several that say the same thing, the first. */
export function readChallengeDemands(header: string | undefined): ChallengeDemands {
  const ours = parseChallenges(header ?? '').filter(({ scheme }) => scheme === 'bearer' || scheme === 'dpop')
  const first = (name: string) => ours.find(({ params }) => params.has(name))?.params.get(name)
  const scopes = first('scope')?.split(' ').filter(Boolean)
  const resourceMetadata = first('resource_metadata')
  const error = first('error')
  return {
    ...(resourceMetadata !== undefined && { resourceMetadata }),
    ...(scopes?.length && { scopes }),
    ...(error !== undefined && { error }),
    dpop: ours.some(({ scheme }) => scheme === 'dpop'),
  }
}

/** Reads what servers send, commas forgotten or in excess included, in one pass. */
export function parseChallenges(header: string): AuthChallenge[] {
  const found: { scheme: string; params: Map<string, string> }[] = []
  const text = new ChallengeReader(header)
  while (text.skipSeparators()) {
    const word = text.word()
    if (text.takeEquals()) note(found.at(-1)?.params, word.toLowerCase(), text.value())
    else if (!text.follows(found.at(-1), word)) found.push({ scheme: word.toLowerCase(), params: new Map() })
  }
  return found
}

function note(params: Map<string, string> | undefined, name: string, value: string): void {
  if (params && name !== '' && !params.has(name)) params.set(name, value)
}

const separators = ' \t,'
const wordEnds = `${separators}="`

class ChallengeReader {
  readonly #text: string
  #at = 0
  #commaBefore = true

  constructor(text: string) {
    this.#text = text
  }

  /** False at the end. */
  skipSeparators(): boolean {
    this.#commaBefore = this.#at === 0
    for (; this.#at < this.#text.length && separators.includes(this.#text[this.#at]!); this.#at += 1)
      this.#commaBefore ||= this.#text[this.#at] === ','
    return this.#at < this.#text.length
  }

  word(): string {
    const start = this.#at
    while (this.#at < this.#text.length && !wordEnds.includes(this.#text[this.#at]!)) this.#at += 1
    // A quotation mark where a word should be is passed over, or we would stand still.
    if (this.#at === start && this.#text[start] === '"') this.#quoted()
    return this.#text.slice(start, this.#at)
  }

  /** Steps over an equals sign and the space around it; the padding of a token68 counts as one with no value. */
  takeEquals(): boolean {
    let next = this.#at
    while (this.#text[next] === ' ' || this.#text[next] === '\t') next += 1
    if (this.#text[next] !== '=') return false
    while (this.#text[next] === '=') next += 1
    while (this.#text[next] === ' ' || this.#text[next] === '\t') next += 1
    this.#at = next
    return true
  }

  value(): string {
    return this.#text[this.#at] === '"' ? this.#quoted() : this.word()
  }

  /** A word right behind a scheme, with no comma between them, is the scheme's token68. */
  follows(challenge: AuthChallenge | undefined, word: string): boolean {
    return word === '' || (challenge !== undefined && challenge.params.size === 0 && !this.#commaBefore)
  }

  #quoted(): string {
    let value = ''
    for (this.#at += 1; this.#at < this.#text.length && this.#text[this.#at] !== '"'; this.#at += 1) {
      if (this.#text[this.#at] === '\\') this.#at += 1
      value += this.#text[this.#at] ?? ''
    }
    this.#at += 1
    return value
  }
}
