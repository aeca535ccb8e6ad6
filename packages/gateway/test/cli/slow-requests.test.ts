// Requests of commands to a gateway that takes its time.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { run } from '../../src/cli/audit/verify.js'
import { requestTimeoutsOf } from '../support/request-timeouts.js'

it('a log is verified for as long as the gateway needs', async () => {
  const server = createServer((_, response) => response.end(JSON.stringify({ ok: true, entries: 1 })))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // it listens on a port
  const url = `http://127.0.0.1:${port}`
  const timeouts = requestTimeoutsOf(url)
  const printed: unknown[] = []
  const input = { options: { gateway: url }, env: { TOOLWIRE_API_KEY: 'key' }, cwd: '/', signal: new AbortController().signal }
  await run(input as never, { json: true, printJson: (value: unknown) => printed.push(value) } as never)
  expect(printed).toEqual([{ ok: true, entries: 1 }])
  expect(timeouts).toEqual([{ headersTimeout: 0, bodyTimeout: 0 }])
})
