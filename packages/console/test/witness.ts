// A proxy between a browser and a console that records the status of each request, because a browser hides blocked responses.
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export type Witness = {
  /** The console's origin for the watched browser. */
  readonly home: string
  /** The statuses of requests with `?tried=…`, by the value of `tried`. */
  readonly answers: ReadonlyMap<string, number>
}

export async function witness(home: string): Promise<Witness> {
  const answers = new Map<string, number>()
  const { port: target } = new URL(home)
  const http = createServer((req, res) => {
    const onward = { host: '127.0.0.1', port: target, method: req.method, path: req.url, headers: req.headers }
    const passed = request(onward, (answer) => {
      const tried = new URLSearchParams(req.url?.split('?')[1]).get('tried')
      if (tried !== null && req.method !== 'OPTIONS') answers.set(tried, answer.statusCode ?? 0)
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
    passed.on('error', () => res.destroy())
    res.on('close', () => passed.destroy())
    req.pipe(passed)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  const { port } = http.address() as AddressInfo // it listens on TCP
  return { home: `http://127.0.0.1:${port}`, answers }
}
