// Clients with the official SDKs.
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ask, child, pending, program, started, upstreamConfig } from '../support/running-gateway.js'

const notes = () => upstreamConfig('notes', child(program('notes-server.mjs')), { trusted: true })
const about = { name: 'other', version: '1.0.0' }

describe.each([
  ['v1 over HTTP', () => new ClientV1(about), (url: string) => new HttpV1(new URL(url))],
  ['v1 over HTTP+SSE', () => new ClientV1(about), (url: string) => new SSEClientTransport(new URL(url.replace('/mcp', '/sse')))],
  ['v2 over HTTP', () => new ClientV2(about), (url: string) => new HttpV2(new URL(url))],
] as const)('the official SDK %s', (_, make, transport) => {
  it('lists, calls, and waits for approval', async () => {
    const gateway = await started({ upstreams: [notes()] })
    // The SDK types differ only in their names here.
    const client = make() as ClientV1
    await client.connect(transport(gateway.url) as HttpV1)
    onTestFinished(() => client.close())
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('notes__write')
    expect(await client.callTool({ name: 'notes__read', arguments: {} })).toMatchObject({ content: [{ text: 'nothing' }] })
    const call = client.callTool({ name: 'notes__write', arguments: { text: 'hi' } })
    await ask(gateway, `/approvals/${(await pending(gateway)).id}`, { body: { decision: 'allow' } })
    expect(await call).toMatchObject({ content: [{ text: 'written: hi' }] })
  })
})
