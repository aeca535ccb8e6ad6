// Images for tests: small valid ones, and headers with arbitrary sizes.
import { deflateSync } from 'node:zlib'

const bytesOf = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'))

/** One pixel each. */
export const jpegPixel = bytesOf(
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
)
export const gifPixel = bytesOf('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7')
export const webpPixel = bytesOf('UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vuUAAA=')
export const losslessPixel = bytesOf('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==')

/** A PNG of any size with at most 100 real rows; `frames` makes it an animation. */
export function png(width: number, height: number, frames = 0): Uint8Array {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8) // greyscale
  const pixels = deflateSync(Buffer.alloc(Math.min(height, 100) * (Math.min(width, 100) + 1)))
  const controls = Array.from({ length: frames }, () => chunk('fcTL', Buffer.alloc(26)))
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  return new Uint8Array(
    Buffer.concat([signature, chunk('IHDR', header), ...controls, chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]),
  )
}

/** Checksums are omitted, because the reader does not check them. */
function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)])
}

/** A JPEG header of any size and any number of scans. */
export function jpeg(width: number, height: number, scans = 1): Uint8Array {
  const frame = Buffer.from('ffd8ffe000044a46ffffc2000b08000000000101110000', 'hex')
  frame.writeUInt16BE(height, 14)
  frame.writeUInt16BE(width, 16)
  const scan = Buffer.from('ffda0008010100000000', 'hex')
  return new Uint8Array(Buffer.concat([frame, ...Array.from({ length: scans }, () => scan), Buffer.from('ffd9', 'hex')]))
}

/** A GIF whose canvas and frames differ in size. */
export function gif(canvas: number, frame: number, frames = 1): Uint8Array {
  const head = Buffer.from('474946383961000000000000002c', 'hex').subarray(0, 13)
  head.writeUInt16LE(canvas, 6)
  head.writeUInt16LE(canvas, 8)
  const image = Buffer.from('2c00000000000000000002024401' + '00', 'hex')
  image.writeUInt16LE(frame, 5)
  image.writeUInt16LE(frame, 7)
  return new Uint8Array(Buffer.concat([head, ...Array.from({ length: frames }, () => image), Buffer.from('3b', 'hex')]))
}

/** An extended WebP with frames. */
export function webp(side: number, frames = 0): Uint8Array {
  const head = Buffer.from('524946460000000057454250565038580a000000000000000000000000000000', 'hex').subarray(0, 30)
  head.writeUIntLE(side - 1, 24, 3)
  head.writeUIntLE(side - 1, 27, 3)
  const frame = Buffer.concat([Buffer.from('414e4d4603000000', 'hex'), Buffer.alloc(4)])
  return new Uint8Array(Buffer.concat([head, ...Array.from({ length: frames }, () => frame)]))
}

export const inline = (bytes: Uint8Array | string, mimeType: string): string =>
  `data:${mimeType};base64,${Buffer.from(bytes as Uint8Array).toString('base64')}`
