import type { JsonObject } from '../../json.js'
import { isBase64 } from '../../tools/content.js'

const mediaType = /^[a-z]{1,32}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}(?:;.*)?$/i

/** How files of common types begin, in base64. */
const beginnings = [
  ['iVBORw0KGg', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['JVBERi', 'application/pdf'],
  ['UEsDB', 'application/zip'],
  ['TVqQ', 'application/vnd.microsoft.portable-executable'],
  ['f0VMR', 'application/x-elf'],
  ['PCFET0NUWVBF', 'text/html'],
  ['PGh0bW', 'text/html'],
] as const

/** What is wrong with a picture or a sound; undefined when it is what it says. */
export function mediaFault(kind: 'image' | 'audio', { data, mimeType }: JsonObject): string | undefined {
  if (!isBase64(data)) return 'its data is not base64'
  if (typeof mimeType !== 'string' || !mediaType.test(mimeType)) return 'it does not say of which media type it is'
  const claimed = mimeType.toLowerCase().split(';', 1)[0]
  if (!claimed?.startsWith(`${kind}/`)) return `its media type is not one of ${kind}`
  const actual = beginnings.find(([start]) => data.startsWith(start))?.[1]
  return actual && actual !== claimed ? `its data is ${actual}, not what it says` : undefined
}
