// Servers and clients with the official SDKs.

import { createRequire } from 'node:module'
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { child, client, gateway, modern, program, upstream, words } from '../support/upstream-fixture.js'

const everything = createRequire(import.meta.url)
  .resolve('@modelcontextprotocol/server-everything/package.json')
  .replace('package.json', 'dist/index.js')
const sdk = (version: 'v1' | 'v2') => child(program(`sdk-${version}-server.mjs`))
const accepted = { action: 'accept' as const, content: { name: 'Ada' } }

describe.each(['v1', 'v2'] as const)('a server with the official SDK %s', (version) => {
  it.each([
    '2025-06-18',
    '2025-11-25',
    modern,
  ])('GW-003 GW-004 is called, and asks questions, through the gateway: a client of %s', async (revision) => {
    const { url } = await gateway([upstream('sdk', sdk(version))])
    const one = await client(url, { revision, answers: { form: () => accepted } })
    expect((await one.listTools()).map(({ name }) => name)).toEqual(['sdk__add', 'sdk__ask', 'sdk__fail'])
    expect(words(await one.call('sdk__add', { a: 1, b: 2 }))).toBe('3')
    expect(await one.call('sdk__fail')).toMatchObject({ isError: true, content: [{ text: 'closed' }] })
    expect(words(await one.call('sdk__ask'))).toBe('Hello Ada')
  })

  it('GW-003 GW-004 answers clients of the official SDKs through the gateway', async () => {
    const { url } = await gateway([upstream('sdk', sdk(version))])
    for (const call of [await throughV1(url), await throughV2(url)]) {
      expect(words((await call('sdk__add', { a: 1, b: 2 })) as never)).toBe('3')
      expect(words((await call('sdk__ask')) as never)).toBe('Hello Ada')
    }
  })
})

describe('server-everything', () => {
  it('offers all its tools through the gateway', async () => {
    const behind = upstream('all', child(everything, 'stdio'))
    const { url, offer } = await gateway([behind])
    const one = await client(url, {
      revision: modern,
      answers: { form: ({ prefilled }) => ({ action: 'accept', content: prefilled }) },
    })
    const own = await behind.use((direct) => direct.listTools())
    expect((await one.listTools()).map(({ name }) => name)).toEqual(own.map(({ name }) => `all__${name}`).sort())
    expect(offer.withheld).toEqual([])
    expect(words(await one.call('all__echo', { message: 'hi' }))).toContain('hi')
    const progress: number[] = []
    await one.call(
      'all__trigger-long-running-operation',
      { duration: 1, steps: 4 },
      { onProgress: (step) => progress.push(step.progress) },
    )
    expect(progress.at(-1)).toBe(4)
    const [structured] = await Promise.all([one.call('all__get-structured-content', { location: 'New York' })])
    expect(structured.structuredContent).toBeDefined()
    expect((await one.listResources()).length).toBeGreaterThan(0)
    expect((await one.listPrompts()).length).toBeGreaterThan(0)
  })
})

type Call = (name: string, args?: Record<string, unknown>) => Promise<unknown>
const about = { name: 'test', version: '1.0.0' }
const capabilities = { elicitation: { form: {} } }

async function throughV1(url: string): Promise<Call> {
  const client = new ClientV1(about, { capabilities })
  client.setRequestHandler(ElicitRequestSchema, () => accepted)
  await client.connect(new HttpV1(new URL(url)))
  onTestFinished(() => client.close())
  return (name, args = {}) => client.callTool({ name, arguments: args })
}

async function throughV2(url: string): Promise<Call> {
  const client = new ClientV2(about, { capabilities, versionNegotiation: { mode: 'auto' } })
  client.setRequestHandler('elicitation/create', () => accepted)
  await client.connect(new HttpV2(new URL(url)))
  onTestFinished(() => client.close())
  return (name, args = {}) => client.callTool({ name, arguments: args })
}
