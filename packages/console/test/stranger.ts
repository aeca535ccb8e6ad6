// Somebody else's web site on this machine, with a page that attacks: on another port of 127.0.0.1, which for browsers is the same site
// with the same cookies, and as localhost, which is another.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** Its origins. */
export async function stranger(): Promise<readonly string[]> {
  const http = createServer((_, res) => {
    res.writeHead(200, { 'content-type': 'text/html' })
    res.end('<!doctype html><title>Somebody else</title><body></body>')
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  const { port } = http.address() as AddressInfo // it listens on TCP
  return [`http://127.0.0.1:${port}`, `http://localhost:${port}`]
}
