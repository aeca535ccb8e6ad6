import type { Socket } from 'node:net'

const longest = 65_536
const withinMs = 5_000

/** What comes first, up to the end of the line; what comes after it stays to be read. Undefined when no such line comes. */
export function readFirstLine(socket: Socket): Promise<string | undefined> {
  return new Promise((resolve) => {
    let read = Buffer.alloc(0)
    const settle = (line: string | undefined) => {
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
      settle(end < 0 ? undefined : read.subarray(0, end).toString())
      if (end >= 0 && end + 1 < read.length) socket.unshift(read.subarray(end + 1))
    }
    const timer = setTimeout(gone, withinMs)
    socket.on('data', take).once('close', gone)
  })
}
