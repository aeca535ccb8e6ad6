// https://developers.google.com/speed/webp/docs/riff_container
import type { PictureFormat, PictureMeasures } from './picture-format.js'

const riff = 0x52494646
const webpMark = 0x57454250
// VP8_, VP8L, VP8X, ANMF
const chunk = { lossy: 0x56503820, lossless: 0x5650384c, extended: 0x56503858, frame: 0x414e4d46 } as const

export const webp: PictureFormat = {
  mimeType: 'image/webp',
  begins: (view) => view.getUint32(0) === riff && view.getUint32(8) === webpMark,
  measure(view): PictureMeasures | undefined {
    switch (view.getUint32(12)) {
      case chunk.lossy:
        return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff, paints: 1 }
      case chunk.lossless: {
        const bits = view.getUint32(21, true)
        return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, paints: 1 }
      }
      case chunk.extended:
        return { width: 1 + uint24(view, 24), height: 1 + uint24(view, 27), paints: Math.max(1, framesIn(view)) }
      default:
        return undefined
    }
  },
}

const uint24 = (view: DataView, at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16)

function framesIn(view: DataView): number {
  let frames = 0
  for (let at = 12; at + 8 <= view.byteLength; ) {
    if (view.getUint32(at) === chunk.frame) frames++
    const length = view.getUint32(at + 4, true)
    at += 8 + length + (length % 2)
  }
  return frames
}
