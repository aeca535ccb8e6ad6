// Content of an upstream reaches callers unchanged.
import { describe, expect, it } from 'vitest'
import { forwardedMeta } from '../../src/relay/forwarding.js'
import { child, client, gateway, modern, program, upstream } from '../support/upstream-fixture.js'

const behind = async (revision: string) => {
  const { url } = await gateway([upstream('odd', child(program('odd-server.mjs')))], { server: { guard: { sanitize: false } } })
  return client(url, { revision, guard: { sanitize: false } })
}

describe('a tool of an upstream', () => {
  it('is listed unchanged except for its name', async () => {
    const tool = (await (await behind(modern)).listTools()).find(({ name }) => name === 'odd__plain')
    expect(tool?.definition).toEqual({
      name: 'odd__plain',
      title: 'Odd',
      inputSchema: {
        type: 'object',
        properties: { a: { $ref: '#/$defs/a' } },
        $defs: { a: { type: 'string' } },
        additionalProperties: true,
      },
      annotations: { readOnlyHint: true, title: 'Odder' },
      _meta: { 'com.example/odd': true },
    })
  })

  it('returns unchanged results: unknown kinds of content, extra members, undeclared values', async () => {
    const result = await (await behind(modern)).call('odd__plain', { a: 'x', more: 1 })
    expect(result.content).toEqual([
      { type: 'text', text: 'hi', 'com.example/more': 1 },
      { type: 'hologram', beams: [1, 2] },
      { type: 'image', data: 'not base64!', mimeType: 'image/png' },
    ])
    expect(result.structuredContent).toEqual({ any: ['thing'] })
    expect(result._meta).toMatchObject({ 'com.example/trace': 't' })
  })

  it('GW-003 returns results through the gateway, so metadata for the direct peer is removed', async () => {
    const newest = await (await behind(modern)).call('odd__plain')
    expect(newest._meta?.['io.modelcontextprotocol/serverInfo']).toMatchObject({ name: 'gateway' })
    const older = await (await behind('2025-11-25')).call('odd__plain')
    expect(older._meta).toEqual({ 'com.example/trace': 't' })
  })
})

describe('a resource of an upstream without templates', () => {
  it('is listed unchanged, and can be read', async () => {
    const one = await behind(modern)
    expect(await one.listResources()).toEqual([{ uri: 'odd://one', name: 'one', _meta: { 'com.example/odd': 1 } }])
    expect(await one.listResourceTemplates()).toEqual([])
    expect(await one.readResource('odd://one')).toMatchObject([{ text: 'read' }])
  })
})

describe('_meta', () => {
  it('is relayed, except for members for the direct peer and invalid ones', () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
    const passed = { 'com.example/a': 1, plain: true, traceparent, tracestate: 'shop=1,b@c=x', baggage: 'user=7;p=1' }
    const kept = { progressToken: 1, 'io.modelcontextprotocol/clientInfo': {}, 'mcp.dev/x': 1, 'no key!': 1 }
    expect(forwardedMeta({ ...passed, ...kept })).toEqual(passed)
    expect(forwardedMeta({ traceparent: 'nonsense', tracestate: 'a=\n', baggage: { user: 7 } })).toBeUndefined()
    expect(forwardedMeta({ tracestate: 'x'.repeat(513), baggage: 'x'.repeat(8_193) })).toBeUndefined()
    expect(forwardedMeta(undefined)).toBeUndefined()
  })
})
