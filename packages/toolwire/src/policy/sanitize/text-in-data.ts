import type { Steps } from '../../bounds/steps.js'

const textTypes = /^(?:text\/|[^;]*[/+](?:json|xml)[\t ]*(?:;|$))/i
/** Media that are never shown as text, and a format that may be valid text and would break without some of its characters. */
const otherTypes = /^(?:(?:audio|font|image|video)\/(?!svg)|application\/pdf)/i
/** Characters of data that is no text: with a type, the binary data bytes of https://mimesniff.spec.whatwg.org. */
const binary = { typed: /[\0-\u0008\u000b\u000e-\u001a\u001c-\u001f]/, untyped: /\0/ }
/** A multiple of four, so that each piece can be decoded alone. */
const pieceSize = 32_768

/** Decodes base64 that holds text: by its media type or, if that is unknown, by its bytes. Returns undefined for all other data. */
export function* textInData(data: string, mimeType: unknown): Steps<string | undefined> {
  const type = typeof mimeType === 'string' ? mimeType.trim() : ''
  const isText = textTypes.test(type)
  if (!isText && otherTypes.test(type)) return undefined
  const decoder = new TextDecoder(isText ? encodingOf(data) : 'utf-8', { fatal: !isText })
  let text = ''
  for (let at = 0; at <= data.length; at += pieceSize) {
    const bytes = Uint8Array.from(atob(data.slice(at, at + pieceSize)), (character) => character.charCodeAt(0))
    const piece = decodedBy(decoder, bytes, at + pieceSize <= data.length)
    if (piece === undefined || (!isText && binary[type === '' ? 'untyped' : 'typed'].test(piece))) return undefined
    text += piece
    yield
  }
  return text
}

/** The encoding that the byte order mark says, which is at the beginning of UTF-16 alone. */
function encodingOf(data: string): string {
  if (/^\/\/[4-7]/.test(data)) return 'utf-16le'
  return /^\/v[89+/]/.test(data) ? 'utf-16be' : 'utf-8'
}

function decodedBy(decoder: TextDecoder, bytes: Uint8Array, stream: boolean): string | undefined {
  try {
    return decoder.decode(bytes, { stream })
  } catch {
    return undefined // a fatal decoder throws at bytes that are no text
  }
}
