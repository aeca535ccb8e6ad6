import type { Socket } from 'node:net'

const longest = 65_536
const timeoutMs = 5_000

/** Reads the bytes of the first line; later bytes stay in the stream. Undefined if no complete line arrives in time. */
export function readFirstLine(socket: Socket): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    let read = Buffer.alloc(0)
    const settle = (line: Buffer | undefined) => {
      clearTimeout(timer)
      socket.off('data', take).off('close', gone)
      socket.pause()
      resolve(line)
    }
    const gone = () => settle(undefined)
    const take = (chunk: Buffer) => {
      read = Buffer.concat([read, chunk])
      const end = read.indexOf(0x0a)
      if (end < 0 && read.length <= longest) return
      settle(end < 0 ? undefined : read.subarray(0, end))
      if (end >= 0 && end + 1 < read.length) socket.unshift(read.subarray(end + 1))
    }
    const timer = setTimeout(gone, timeoutMs)
    socket.on('data', take).once('close', gone)
  })
}
