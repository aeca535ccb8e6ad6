// https://www.w3.org/Graphics/JPEG/itu-t81.pdf, annex B
import type { PictureFormat, PictureMeasures } from './picture-format.js'

const startOfImage = 0xffd8
const startOfScan = 0xda

export const jpeg: PictureFormat = {
  mimeType: 'image/jpeg',
  begins: (view) => view.getUint16(0) === startOfImage && view.getUint8(2) === 0xff,
  measure(view): PictureMeasures | undefined {
    for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
      while (view.getUint8(at + 1) === 0xff) at++ // any number of these may stand before a marker
      const marker = view.getUint8(at + 1)
      if (marker === startOfScan) return undefined
      if (isFrame(marker)) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7), paints: scansIn(view) }
    }
    return undefined
  },
}

/** C4, C8 and CC lie among them and mean something else. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** Each scan paints the whole picture anew, and costs but a few bytes. Among coded data FF DA does not occur. */
function scansIn(view: DataView): number {
  let scans = 0
  for (let at = 2; at + 1 < view.byteLength; at++) {
    if (view.getUint8(at) === 0xff && view.getUint8(at + 1) === startOfScan) scans++
  }
  return scans
}
