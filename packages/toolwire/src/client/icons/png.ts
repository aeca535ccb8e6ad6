// https://www.w3.org/TR/png-3/#5DataRep
import type { PictureFormat } from './picture-format.js'

const signature = 0x8950_4e47_0d0a_1a0an
const imageHeader = 0x49484452 // IHDR
const frameControl = 0x6663544c // fcTL

export const png: PictureFormat = {
  mimeType: 'image/png',
  begins: (view) => view.getBigUint64(0) === signature && view.getUint32(12) === imageHeader,
  measure: (view) => ({ width: view.getUint32(16), height: view.getUint32(20), paints: Math.max(1, framesIn(view)) }),
}

function framesIn(view: DataView): number {
  let frames = 0
  for (let at = 8; at + 8 <= view.byteLength; at += 12 + view.getUint32(at)) {
    if (view.getUint32(at + 4) === frameControl) frames++
  }
  return frames
}
