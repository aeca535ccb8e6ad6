import { IconRefusal } from './icon-refusal.js'

const scheme = 'data:'
const marked = ';base64'

export const isDataUri = (uri: string): boolean => uri.slice(0, scheme.length).toLowerCase() === scheme

/** What a `data:` URI holds: base64, as the protocol has it for icons, and at most so many bytes. */
export function readDataUri(uri: string, mostBytes: number): { bytes: Uint8Array<ArrayBuffer>; mimeType: string } {
  const comma = uri.indexOf(',')
  const head = uri.slice(scheme.length, comma)
  if (comma < 0 || !head.toLowerCase().endsWith(marked)) throw new IconRefusal('Its data is not base64')
  const tooLong = new IconRefusal(`It is longer than ${mostBytes} bytes`)
  if (uri.length - comma > (mostBytes / 3 + 2) * 4) throw tooLong
  const bytes = decoded(uri.slice(comma + 1))
  if (bytes.length > mostBytes) throw tooLong
  return { bytes, mimeType: head.slice(0, -marked.length) }
}

function decoded(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch (cause) {
    throw new IconRefusal('Its data is not base64', { cause })
  }
}
