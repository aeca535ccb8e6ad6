// Images and audio are base64 in the result, and are shown from memory. The page never loads them from elsewhere.

// Formats that contain pixels only. An SVG can contain scripts, so its source is shown.
const pictures: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp'])

/** The type without parameters, in lower case. */
export const mediaTypeOf = (type: string): string => type.split(';', 1)[0]?.trim().toLowerCase() ?? ''

export const isImage = (type: string): boolean => pictures.has(mediaTypeOf(type))
export const isAudio = (type: string): boolean => /^audio\/[a-z\d.+-]+$/.test(mediaTypeOf(type))

/** Decodes base64; undefined if it is invalid. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(base64)
    return Uint8Array.from(binary, (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

export const isSvg = (type: string): boolean => mediaTypeOf(type) === 'image/svg+xml'

/** Decodes base64 as UTF-8 text; undefined if it is invalid. */
export function textOf(base64: string): string | undefined {
  const bytes = bytesOf(base64)
  return bytes && new TextDecoder().decode(bytes)
}

export const decodedSize = (base64: string): number => Math.floor((base64.replace(/=+$/, '').length * 3) / 4)
