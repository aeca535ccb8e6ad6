// Errors for callers, and readiness, while a server has not listed its tools yet.
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { prompt, resource, server, tool } from 'toolwire'
import { nodeHandler } from 'toolwire/node'
import { harness } from 'toolwire/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { defaultGuard } from '../../src/config/gateway-config.js'
import { client, http, started, until, upstreamConfig, words } from '../support/running-gateway.js'
import { revisions } from '../support/upstream-fixture.js'

const guard = { ...defaultGuard, approvals: false, pins: false } as const
const missing = /\. Some servers of this gateway are not available at the moment/

const app = server({
  name: 'slow',
  version: '1',
  tools: { add: tool({ description: 'Adds.', run: () => '3' }) },
  prompts: { greet: prompt({ run: () => 'hello' }) },
  resources: { notes: resource({ uri: 'slow://notes', read: () => 'notes' }) },
})

/** An HTTP server that answers nothing until it is released. */
async function slowServer() {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const handler = nodeHandler(app)
  const listener: RequestListener = (req, res) => void released.then(() => handler(req, res))
  const listening = createServer(listener)
  onTestFinished(() => {
    release()
    listening.closeAllConnections()
    listening.close()
  })
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  const { port } = listening.address() as AddressInfo
  return { target: http(`http://127.0.0.1:${port}/`), release }
}

const failed = (asking: Promise<unknown>) =>
  asking.then(
    () => 'no error',
    (thrown: unknown) => thrown,
  )

type Asking = Awaited<ReturnType<typeof harness>>
const greets = (caller: Asking) => failed(caller.request('prompts/get', { name: 'slow__greet' }))
const reads = (caller: Asking) => failed(caller.request('resources/read', { uri: 'slow://notes' }))

describe.each(revisions)('%s', (revision) => {
  it('an error says that a missing tool may still come, until all servers have listed theirs', async () => {
    const { target, release } = await slowServer()
    const gateway = await started({ upstreams: [upstreamConfig('slow', target, { lazy: true })], guard })
    const caller = await harness(gateway.server, { revision })
    const called = await caller.call('slow__add')
    expect(called).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(missing) }] })
    for (const thrown of [await greets(caller), await reads(caller)])
      expect(thrown).toMatchObject({ name: 'RpcError', code: -32603, message: expect.stringMatching(missing) })
    release()
    await until(async () => (await caller.call('slow__add')).isError !== true)
    await until(async () => (await greets(caller)) === 'no error')
    await until(async () => !missing.test(String(await reads(caller))))
    const unknown = await failed(caller.call('slow__subtract'))
    expect(unknown).toMatchObject({ code: -32602, message: 'Unknown tool: slow__subtract' })
  })

  it('GW-010 a client that connected before a server uses all that the server turns out to have', async () => {
    const { target, release } = await slowServer()
    const gateway = await started({ upstreams: [upstreamConfig('slow', target, { lazy: true })], guard })
    const caller = await client(gateway.url, { revision })
    const { completions, ...declared } = caller.server.capabilities
    expect(declared).toMatchObject({ tools: {}, resources: {}, prompts: {} })
    expect(completions !== undefined).toBe(revision >= '2025-03-26')
    release()
    await until(async () => (await caller.listPrompts({ fresh: true })).length === 1)
    expect(await caller.getPrompt('slow__greet')).toMatchObject({ messages: [{ content: { text: 'hello' } }] })
    expect(await caller.readResource('slow://notes')).toMatchObject([{ text: 'notes' }])
  })
})

it('a gateway is ready once its servers have been tried', async () => {
  const { target, release } = await slowServer()
  const gateway = await started({ upstreams: [upstreamConfig('slow', target)], guard }, { openMs: 100 })
  const ready = async () => {
    const response = await fetch(`http://127.0.0.1:${gateway.port}/readyz`)
    return { status: response.status, body: await response.json() }
  }
  expect(await ready()).toEqual({ status: 503, body: { status: 'not ready', reason: 'A server is still being opened' } })
  release()
  await until(async () => (await ready()).status === 200)
  expect(words(await (await client(gateway.url)).call('slow__add'))).toBe('3')
})
