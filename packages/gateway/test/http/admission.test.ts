// Requests that there is no room for.
import { connect } from 'node:net'
import { getHeapStatistics } from 'node:v8'
import { expect, it, onTestFinished } from 'vitest'
import { started, until } from '../support/running-gateway.js'

const bytes = 4_000_000

/** A request whose connection ends with the answer, so far without its body. */
function begun(port: number) {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const heard = { socket, text: '' }
  socket.setEncoding('utf8').on('data', (piece) => {
    heard.text += piece
  })
  socket.on('error', () => undefined) // what it has heard shows whether that was too early
  const headers = [`host: 127.0.0.1:${port}`, 'content-type: application/json', 'connection: close', `content-length: ${bytes}`]
  socket.write(`POST /mcp HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
  return heard
}

it('who is sent away hears it when all is sent, and not before, when it could be lost', async () => {
  const { port } = await started()
  const others = Math.ceil(getHeapStatistics().heap_size_limit / 16 / bytes)
  for (let n = 0; n < others; n++) begun(port)
  await new Promise((resolve) => setTimeout(resolve, 500))
  const one = begun(port)
  one.socket.write('x'.repeat(bytes / 2))
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(one.text).toBe('')
  one.socket.write('x'.repeat(bytes / 2))
  await until(() => one.text.includes('Try again in a moment'))
  expect(one.text).toMatch(/^HTTP\/1\.1 429 .*\r\n(?:.*\r\n)*?retry-after: 1\r\n/)
})
