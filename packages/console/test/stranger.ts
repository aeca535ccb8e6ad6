// A foreign web site on this machine, with a page that attacks. It has two origins: another port of 127.0.0.1, which browsers
// count as the same site with the same cookies, and localhost, which is another site.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** Starts the site, and returns its origins. */
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
