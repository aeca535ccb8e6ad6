// Finds out the type of a picture from its bytes. Pictures are measured and not decoded, because few bytes can decode to gigabytes.

import { printableName } from '../../text/printable-name.js'
import { type PictureFormat, type PictureMeasures, type PictureType, pictureFormats } from './picture-format.js'

/** Thrown for an icon that must not be shown; the message says why. */
export class IconRefusal extends Error {
  override name = 'IconRefusal'
}

const shortest = 16
const mostSide = 4_096
const mostPaints = 64
/** Limit on the pixels of all paints together, which a decoder may have to hold or process. */
const mostPixels = 2 ** 26

const otherNames: Readonly<Record<string, PictureType>> = {
  'image/jpg': 'image/jpeg',
  'image/apng': 'image/png',
}

/** Returns the type of a picture; throws if it is not safe to show. */
export function pictureTypeOf(bytes: Uint8Array): PictureType {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const format = bytes.length < shortest ? undefined : pictureFormats.find((one) => one.begins(view))
  if (!format) throw new IconRefusal(`The icon is none of ${pictureFormats.map(({ mimeType }) => mimeType).join(', ')}`)
  const measures = measured(view, format)
  if (!measures || measures.width === 0 || measures.height === 0)
    throw new IconRefusal(`The icon is an incomplete ${format.mimeType}`)
  checkSize(measures)
  return format.mimeType
}

function measured(view: DataView, format: PictureFormat): PictureMeasures | undefined {
  try {
    return format.measure(view)
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined // it ends too early
    throw thrown
  }
}

function checkSize({ width, height, paints }: PictureMeasures): void {
  if (Math.max(width, height) > mostSide)
    throw new IconRefusal(`The icon has ${width} × ${height} pixels; at most ${mostSide} a side are allowed`)
  if (paints > mostPaints) throw new IconRefusal(`The icon has ${paints} frames or passes; at most ${mostPaints} are allowed`)
  if (width * height * paints > mostPixels)
    throw new IconRefusal(
      `The icon has ${paints} frames or passes of ${width} × ${height} pixels; at most ${mostPixels} pixels in all are allowed`,
    )
}

/** Throws if the claimed type is another one, because such bytes may be meant to deceive. 2025-11-25/basic/index#icons */
export function checkClaim(claim: string | null | undefined, actual: PictureType): void {
  const named = claim?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (named === '' || named === 'application/octet-stream') return
  if ((otherNames[named] ?? named) !== actual)
    throw new IconRefusal(`The icon is ${actual}, but was declared as ${printableName(named)}`)
}
