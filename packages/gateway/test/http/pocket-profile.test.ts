// The pocket profile at an address of its own, beside all official revisions, with the same guard.
import { describe, expect, it } from 'vitest'
import { defaultGuard } from '../../src/config/gateway-config.js'
import { ask, child, client, program, type Started, started, upstreamConfig, words } from '../support/running-gateway.js'

const notes = () => upstreamConfig('notes', child(program('notes-server.mjs')), { trusted: true })
const guard = { ...defaultGuard, approvals: false, rate: { calls: 3, per: 'hour' } } as const
const startGateway = () => started({ upstreams: [notes()], sets: { readers: ['notes__read'] }, guard })

const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const hello = (protocolVersion: string) => ({
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'old', version: '1' } },
})

async function post({ port }: Started, path: string, message: object, more: Record<string, string> = {}) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { ...headers, ...more },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  })
  const text = await response.text()
  const body = JSON.parse(text.startsWith('{') ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? '{}'))
  return { status: response.status, body, session: { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' } }
}

async function speaking(gateway: Started, path: string) {
  const { body, session } = await post(gateway, path, hello('2025-06-18'))
  expect(body.result.protocolVersion).toBe('2025-06-18')
  await post(gateway, path, { method: 'notifications/initialized' }, session)
  return async (method: string, params = {}) => (await post(gateway, path, { id: 2, method, params }, session)).body.result
}

describe('an address with ?profile=pocket', () => {
  it.each([
    '/mcp',
    '/mcp/readers',
  ])('PKT-001 PKT-002 PKT-009 gets pocket answers, and %s without it is unchanged', async (path) => {
    const gateway = await startGateway()
    const [pocket, official] = [await speaking(gateway, `${path}?profile=pocket`), await speaking(gateway, path)]
    expect(await pocket('tools/call', { name: 'notes__read' })).toEqual({
      content: [{ type: 'text', text: 'nothing' }],
      isError: false,
      structuredContent: {},
    })
    const listed = await pocket('tools/list')
    expect(listed.nextCursor).toBe('')
    expect(listed.tools.every((tool: object) => 'description' in tool)).toBe(true)
    expect(await official('tools/call', { name: 'notes__read' })).not.toHaveProperty('structuredContent')
    expect(await official('tools/list')).not.toHaveProperty('nextCursor')
  })

  it('PKT-009 accepts no other revision, and does not affect other clients', async () => {
    const gateway = await startGateway()
    const { body } = await post(gateway, '/mcp?profile=pocket', hello('2025-11-25'))
    expect(body.result).toMatchObject({ protocolVersion: '2025-06-18', capabilities: { tools: { listChanged: true } } })
    const one = await client(`${gateway.url}?profile=pocket`)
    expect(one.server.revision).toBe('2025-06-18')
    expect(words(await one.call('notes__read'))).toBe('nothing')
    expect((await client(gateway.url)).server.revision).toBe('2026-07-28')
  })

  it('has the same guard: limits and the log are shared', async () => {
    const gateway = await startGateway()
    const [pocket, official] = [await client(`${gateway.url}?profile=pocket`), await client(gateway.url)]
    for (const one of [pocket, official, pocket]) expect(words(await one.call('notes__read'))).toBe('nothing')
    for (const one of [pocket, official]) expect(words(await one.call('notes__read'))).toContain('too often')
    const { calls } = (await ask(gateway, '/audit?tool=notes__read')).body as { calls: object[] }
    expect(calls).toHaveLength(5)
  })

  it.each(['pockets', ''])('with "%s" is refused with the available profiles', async (profile) => {
    const { status, body } = await post(await startGateway(), `/mcp?profile=${profile}`, hello('2025-06-18'))
    expect([status, body.error]).toEqual([400, expect.stringContaining('?profile=pocket')])
  })
})
