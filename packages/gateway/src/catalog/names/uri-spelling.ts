// RFC 3986, 6.2.2: letter case of scheme, host and escapes, and escapes of characters that need none, make no other URI.
const head = /^[a-z][a-z0-9+.-]*:(?:\/\/[^/?#]*)?/i
const unreserved = /^[A-Za-z0-9._~-]$/

/** One spelling for all spellings of a URI, for telling whether two servers list the same. */
export const uriSpelling = (uri: string): string =>
  uri
    .normalize('NFC')
    .replace(/%[0-9a-f]{2}/gi, (written) => {
      const character = String.fromCharCode(Number.parseInt(written.slice(1), 16))
      return unreserved.test(character) ? character : written.toUpperCase()
    })
    .replace(head, (start) => start.toLowerCase())
