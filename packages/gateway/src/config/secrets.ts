const mask = '•••'
const shortest = 6
const secretName =
  /key|token|secret|passw|passphrase|credential|cookie|auth|session|signature|private|dsn|_pwd($|_)|(^|_)(pat|pass)($|_)/i
const harmlessHeader = /^(accept(-.*)?|content-type|user-agent|mcp-.*)$/i

/** Does a header say nothing that is worth hiding? */
export const isHarmlessHeader = (name: string): boolean => harmlessHeader.test(name)

/** Does a parameter of an address say nothing that is worth hiding? */
export const isHarmlessParameter = (name: string): boolean =>
  /^(sslmode|sslrootcert|uselibpqcompat|authMechanism|authSource)$/.test(name)

/** Does a name suggest that its value is secret? */
export const isSecretName = (name: string): boolean => secretName.test(name)

/** Is a text long, without spaces, and with digits among letters, unlike a word that a person would write? */
export const looksRandom = (text: string): boolean =>
  /^[A-Za-z0-9_+=.-]{16,}$/.test(text) && /\d/.test(text) && /[A-Za-z]/.test(text) && !/^[\d.]+(?:[a-z-]+[\d.]*)?$/.test(text)

/** Values to mask in texts. They are private, so that printing this object does not show them. */
export class Secrets {
  readonly #values = new Set<string>()
  /** Values that may also be parts of other words. */
  readonly #short = new Set<string>()
  #longestFirst: readonly string[] | undefined

  /** Masks this value even if it does not look like a secret: everywhere, or as a whole value if it is short. */
  add(value: string): void {
    if (value === '') return
    if (value.length < shortest) return void this.#short.add(value)
    this.#values.add(value)
    this.#longestFirst = undefined
  }

  /** Adds a value if it looks secret or its name does. */
  consider(name: string, value: string): void {
    if (isSecretName(name) || looksRandom(value)) this.add(value)
    this.address(value)
  }

  header(name: string, value: string): void {
    if (isHarmlessHeader(name)) return
    this.add(value)
    const { 1: credential } = /^[A-Za-z]+ +(\S+)$/.exec(value) ?? []
    if (credential !== undefined) this.add(credential)
  }

  /** Adds the secret parts of a URL, as written and decoded: the password, the query values, and a random user name or path segment. */
  address(value: string): void {
    if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value) || !URL.canParse(value)) return
    const { username, password, search, searchParams, pathname } = new URL(value)
    const pairs = search
      .slice(1)
      .split('&')
      .map((pair) => [pair.split('=', 1)[0] ?? '', pair.replace(/^[^=]*=?/, '')] as const)
    const parameters = [...searchParams, ...pairs].filter(([name]) => !isHarmlessParameter(name)).map(([, word]) => word)
    for (const secret of [password, decodedComponent(password), ...parameters]) this.add(secret)
    for (const part of [username, ...pathname.split('/')]) if (looksRandom(part)) this.add(part)
  }

  mask(text: string): string {
    this.#longestFirst ??= [...this.#values].sort((one, other) => other.length - one.length)
    return this.#longestFirst.reduce((shown, secret) => shown.replaceAll(secret, mask), text)
  }

  /** Masks short values as well, in a text in which values are quoted: whole ones, and parts of arguments and addresses. */
  maskValues(text: string): string {
    const short = (part: string) => (this.#short.has(part) ? mask : part)
    const inside = (value: string) =>
      value
        .split(/([\s=&?:@"']+)/)
        .map(short)
        .join('')
    return this.mask(text).replace(/"(?:[^"\\]|\\.)*"|'[^']*'|-?\b\d[\w.+-]*/g, inside)
  }

  /** Keeps the values out of JSON and logs. */
  toJSON(): string {
    return mask
  }
}

function decodedComponent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // not percent-encoded
  }
}

export { mask as masked }
