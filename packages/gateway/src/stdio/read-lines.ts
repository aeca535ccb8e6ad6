import type { Readable } from 'node:stream'

/** Calls back for each line, without its end. Resolves when there are no more. */
export function readLines(readable: Readable, take: (line: string) => void): Promise<void> {
  let rest: Buffer[] = []
  readable.on('data', (chunk: Buffer) => {
    let from = 0
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      const line = Buffer.concat([...rest, chunk.subarray(from, end)]).toString()
      rest = []
      from = end + 1
      take(line)
    }
    if (from < chunk.length) rest.push(chunk.subarray(from))
  })
  // Whoever has looked at the first line has paused it.
  readable.resume()
  return new Promise((resolve) => {
    readable
      .once('end', resolve)
      .once('error', () => resolve())
      .once('close', resolve)
  })
}
