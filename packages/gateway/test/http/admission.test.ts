// Requests beyond the memory limit.
import { once } from 'node:events'
import { connect } from 'node:net'
import { getHeapStatistics } from 'node:v8'
import { expect, it, onTestFinished } from 'vitest'
import { ask, started, until } from '../support/running-gateway.js'

const bytes = 4_000_000

/** A request without its body so far, on a connection that closes after the answer. */
function begun(port: number) {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const heard = { socket, text: '' }
  socket.setEncoding('utf8').on('data', (piece) => {
    heard.text += piece
  })
  socket.on('error', () => undefined) // the received bytes show whether it failed too early
  const headers = [`host: 127.0.0.1:${port}`, 'content-type: application/json', 'connection: close', `content-length: ${bytes}`]
  socket.write(`POST /mcp HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
  return heard
}

it('a refused client gets the answer after it has sent all, since an earlier one could be lost', async () => {
  const gateway = await started()
  const { port } = gateway
  const others = Math.ceil(getHeapStatistics().heap_size_limit / 16 / bytes)
  await Promise.all(Array.from({ length: others }, () => once(begun(port).socket, 'connect')))
  await ask(gateway, '/status') // comes after the others
  const one = begun(port)
  one.socket.write('x'.repeat(bytes / 2))
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(one.text).toBe('')
  one.socket.write('x'.repeat(bytes / 2))
  await until(() => one.text.includes('Try again in a moment'))
  expect(one.text).toMatch(/^HTTP\/1\.1 429 .*\r\n(?:.*\r\n)*?retry-after: 1\r\n/)
})
