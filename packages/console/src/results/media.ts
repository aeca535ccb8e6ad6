// Pictures and sounds come as base64 in the result itself. They are shown from memory: nothing is ever loaded from elsewhere.

// Formats that hold pixels and nothing else. SVG is a document that can run, so it is shown as the text that it is.
const pictures: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp'])

/** The type without its parameters, in small letters. */
export const mediaTypeOf = (type: string): string => type.split(';', 1)[0]?.trim().toLowerCase() ?? ''

export const isImage = (type: string): boolean => pictures.has(mediaTypeOf(type))
export const isAudio = (type: string): boolean => /^audio\/[a-z\d.+-]+$/.test(mediaTypeOf(type))

/** The bytes, or undefined for what is not base64. */
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

/** A drawing in markup. */
export const isSvg = (type: string): boolean => mediaTypeOf(type) === 'image/svg+xml'

/** The text that bytes in UTF-8 are. */
export function textOf(base64: string): string | undefined {
  const bytes = bytesOf(base64)
  return bytes && new TextDecoder().decode(bytes)
}

/** How many bytes a base64 text stands for. */
export const decodedSize = (base64: string): number => Math.floor((base64.replace(/=+$/, '').length * 3) / 4)
