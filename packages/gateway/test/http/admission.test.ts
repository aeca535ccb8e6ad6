// Requests beyond the memory limit.
import { once } from 'node:events'
import { connect } from 'node:net'
import { getHeapStatistics } from 'node:v8'
import { expect, it, onTestFinished } from 'vitest'
import { ask, started, until } from '../support/running-gateway.js'

const bytes = 4_000_000

/** A request without its body so far, on a connection that closes after the answer. */
function begun(port: number, key?: string) {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const connection = { socket, text: '' }
  socket.setEncoding('utf8').on('data', (piece) => {
    connection.text += piece
  })
  socket.on('error', () => undefined) // the received bytes show whether it failed too early
  const headers = [
    ...[`host: 127.0.0.1:${port}`, 'content-type: application/json', 'connection: close', `content-length: ${bytes}`],
    ...(key === undefined ? [] : [`authorization: Bearer ${key}`]),
  ]
  socket.write(`POST /mcp HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
  return connection
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

it('a caller with several keys has one half of the memory', async () => {
  const gateway = await started({ callers: { loopback: false, apiKeys: true } })
  const { port } = gateway
  const keyOf = async (caller: string) => String((await ask(gateway, '/keys', { body: { caller } })).body.key)
  const [ada, ...eves] = await Promise.all(['ada', 'eve', 'eve', 'eve'].map(keyOf))
  const answerTo = async (key?: string) => {
    const one = begun(port, key)
    one.socket.write('x'.repeat(bytes))
    await until(() => one.text !== '')
    return Number(one.text.split(' ')[1])
  }
  const half = Math.floor(getHeapStatistics().heap_size_limit / 2 / 16 / bytes)
  // Each key alone may take this much. The requests beyond the half are answered before their bodies have come, and hold nothing.
  const all = eves.flatMap((key) => Array.from({ length: half }, () => begun(port, key)))
  await until(() => all.filter(({ text }) => text.startsWith('HTTP/1.1 429')).length >= 2 * half)
  expect(await answerTo(eves[2])).toBe(429)
  expect(await answerTo(ada)).toBe(400)
})

it('a caller that takes its half of the memory leaves room for others', async () => {
  const gateway = await started({ callers: { loopback: false, apiKeys: true } })
  const { port } = gateway
  const keyOf = async (caller: string) => String((await ask(gateway, '/keys', { body: { caller } })).body.key)
  const [ada, eve] = await Promise.all([keyOf('ada'), keyOf('eve')])
  const answerTo = async (key: string) => {
    const one = begun(port, key)
    one.socket.write('x'.repeat(bytes))
    await until(() => one.text !== '')
    return Number(one.text.split(' ')[1])
  }
  const others = Math.ceil(getHeapStatistics().heap_size_limit / 2 / 16 / bytes)
  await Promise.all(Array.from({ length: others }, () => once(begun(port, eve).socket, 'connect')))
  await ask(gateway, '/status') // comes after the others
  expect(await answerTo(eve)).toBe(429)
  expect(await answerTo(ada)).toBe(400)
  // A request with an unknown key holds nothing, because it is refused before its body is read.
  const strangers = Array.from({ length: 2 * others }, (_, n) => begun(port, `unknown ${n}`))
  await until(() => strangers.every(({ text }) => text.startsWith('HTTP/1.1 401')))
  expect(await answerTo(ada)).toBe(400)
})
