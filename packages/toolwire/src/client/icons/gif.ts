// https://www.w3.org/Graphics/GIF/spec-gif89a.txt
import type { PictureFormat, PictureMeasures } from './picture-format.js'

const gif8 = 0x47494638
const versions: readonly number[] = [0x3761, 0x3961] // 7a, 9a
const block = { extension: 0x21, image: 0x2c, trailer: 0x3b } as const

export const gif: PictureFormat = {
  mimeType: 'image/gif',
  begins: (view) => view.getUint32(0) === gif8 && versions.includes(view.getUint16(4)),
  measure(view): PictureMeasures | undefined {
    let [width, height] = sizeAt(view, 6)
    let paints = 0
    let at = 13 + tableLength(view.getUint8(10))
    for (let kind = view.getUint8(at); kind !== block.trailer; kind = view.getUint8(at)) {
      if (kind !== block.extension && kind !== block.image) return undefined
      if (kind === block.image) {
        paints++
        const [left, top] = sizeAt(view, at + 1)
        const [frameWidth, frameHeight] = sizeAt(view, at + 5)
        width = Math.max(width, left + frameWidth)
        height = Math.max(height, top + frameHeight)
      }
      at = afterData(view, kind === block.image ? at + 11 + tableLength(view.getUint8(at + 9)) : at + 2)
    }
    return { width, height, paints }
  },
}

const sizeAt = (view: DataView, at: number): [number, number] => [view.getUint16(at, true), view.getUint16(at + 2, true)]

/** How long the table of colours is, by the byte of flags before it. */
const tableLength = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1))

/** Data comes in pieces, each with its length before it, and ends with one of no length. */
function afterData(view: DataView, start: number): number {
  let at = start
  for (let length = view.getUint8(at); length > 0; length = view.getUint8(at)) at += 1 + length
  return at + 1
}
