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

const units = ['bytes', 'KiB', 'MiB', 'GiB'] as const

/** `340 bytes`, `1.5 MiB`. */
export function sizeText(bytes: number): string {
  const step = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const number = bytes / 1024 ** step
  if (step === 0) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  return `${number < 10 ? number.toFixed(1) : Math.round(number)} ${units[step]}`
}

export const isSvg = (type: string): boolean => mediaTypeOf(type) === 'image/svg+xml'

/** Decodes base64 as UTF-8 text; undefined if it is invalid. */
export function textOf(base64: string): string | undefined {
  const bytes = bytesOf(base64)
  return bytes && new TextDecoder().decode(bytes)
}

export const decodedSize = (base64: string): number => Math.floor((base64.replace(/=+$/, '').length * 3) / 4)
