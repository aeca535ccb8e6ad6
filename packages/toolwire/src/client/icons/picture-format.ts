// The supported image formats, recognized and measured by their headers.

/** The size of a picture, and how often a decoder paints it: once per frame of an animation or scan of a JPEG. */
export type PictureMeasures = { readonly width: number; readonly height: number; readonly paints: number }

export type PictureType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'

/** One kind of picture. Reading past the end throws the RangeError of DataView. */
export interface PictureFormat {
  readonly mimeType: PictureType
  begins(view: DataView): boolean
  /** Reads the size from the headers; undefined if they make no sense. */
  measure(view: DataView): PictureMeasures | undefined
}

// https://www.w3.org/TR/png-3/#5DataRep

const signature = 0x8950_4e47_0d0a_1a0an
const imageHeader = 0x49484452 // IHDR
const frameControl = 0x6663544c // fcTL

const png: PictureFormat = {
  mimeType: 'image/png',
  begins: (view) => view.getBigUint64(0) === signature && view.getUint32(12) === imageHeader,
  measure: (view) => ({ width: view.getUint32(16), height: view.getUint32(20), paints: Math.max(1, pngFrames(view)) }),
}

function pngFrames(view: DataView): number {
  let frames = 0
  for (let at = 8; at + 8 <= view.byteLength; at += 12 + view.getUint32(at)) {
    if (view.getUint32(at + 4) === frameControl) frames++
  }
  return frames
}

// https://www.w3.org/Graphics/JPEG/itu-t81.pdf, annex B

const startOfImage = 0xffd8
const startOfScan = 0xda

const jpeg: PictureFormat = {
  mimeType: 'image/jpeg',
  begins: (view) => view.getUint16(0) === startOfImage && view.getUint8(2) === 0xff,
  measure(view): PictureMeasures | undefined {
    for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
      while (view.getUint8(at + 1) === 0xff) at++ // any number of fill bytes may precede a marker
      const marker = view.getUint8(at + 1)
      if (marker === startOfScan) return undefined
      if (isFrame(marker)) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7), paints: scansIn(view) }
    }
    return undefined
  },
}

/** Frame markers are C0 to CF, except C4, C8 and CC, which mean something else. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** Counts scans, because each one paints the whole picture but takes only a few bytes. Coded data never contains FF DA. */
function scansIn(view: DataView): number {
  let scans = 0
  for (let at = 2; at + 1 < view.byteLength; at++) {
    if (view.getUint8(at) === 0xff && view.getUint8(at + 1) === startOfScan) scans++
  }
  return scans
}

// https://www.w3.org/Graphics/GIF/spec-gif89a.txt

const gif8 = 0x47494638
const versions: readonly number[] = [0x3761, 0x3961] // 7a, 9a
const block = { extension: 0x21, image: 0x2c, trailer: 0x3b } as const

const gif: PictureFormat = {
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

/** Length of the colour table, by its byte of flags. */
const tableLength = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1))

/** Skips data blocks, each preceded by its length, up to the empty block that ends them. */
function afterData(view: DataView, start: number): number {
  let at = start
  for (let length = view.getUint8(at); length > 0; length = view.getUint8(at)) at += 1 + length
  return at + 1
}

// https://developers.google.com/speed/webp/docs/riff_container

const riff = 0x52494646
const webpMark = 0x57454250
// VP8_, VP8L, VP8X, ANMF
const chunk = { lossy: 0x56503820, lossless: 0x5650384c, extended: 0x56503858, frame: 0x414e4d46 } as const

const webp: PictureFormat = {
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
        return { width: 1 + uint24(view, 24), height: 1 + uint24(view, 27), paints: Math.max(1, webpFrames(view)) }
      default:
        return undefined
    }
  },
}

const uint24 = (view: DataView, at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16)

function webpFrames(view: DataView): number {
  let frames = 0
  for (let at = 12; at + 8 <= view.byteLength; ) {
    if (view.getUint32(at) === chunk.frame) frames++
    const length = view.getUint32(at + 4, true)
    at += 8 + length + (length % 2)
  }
  return frames
}

/** No SVG, because it is a document that may contain scripts and load other resources. */
export const pictureFormats: readonly PictureFormat[] = [png, jpeg, gif, webp]
