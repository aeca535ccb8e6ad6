// Headers that repeat parts of a request: the body has precedence.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defaultGuard, type GatewayConfig } from '../../src/config/gateway-config.js'
import { doneBy, folder, http, started, upstreamConfig } from '../support/running-gateway.js'
import { listening } from '../support/upstream-fixture.js'

const newest = '2026-07-28'
const guard = { ...defaultGuard, approvals: false } as const
const rules = `rules:
  - name: only our own tenant
    when: { tool: "bank__pay", arguments: { tenant: ours } }
    decision: allow
  - name: no other tenant
    when: { tool: "bank__pay" }
    decision: deny
    because: it is another tenant's
  - name: nobody destroys
    when: { tool: "bank__destroy" }
    decision: deny
default: allow
`

async function bank(more: Partial<GatewayConfig> = {}) {
  const done: string[] = []
  const record = (what: string, result: string) => {
    done.push(what)
    return result
  }
  const app = server({
    name: 'bank',
    version: '1.0.0',
    tools: {
      look: tool({ description: 'Looks', hints: { readOnly: true }, run: () => record('look', 'seen') }),
      destroy: tool({ description: 'Destroys', run: () => record('destroy', 'gone') }),
      pay: tool({
        description: 'Pays',
        input: z.object({ tenant: z.string().meta({ 'x-mcp-header': 'Tenant' }) }),
        run: ({ tenant }) => record(`pay ${tenant}`, 'paid'),
      }),
    },
  })
  const { url } = await listening(app)
  const policy = join(folder(), 'policy.yaml')
  writeFileSync(policy, rules)
  const gateway = await started({ upstreams: [upstreamConfig('bank', http(url))], policy, guard, ...more })
  return { gateway, done }
}

type CallOptions = {
  readonly body: string
  readonly args?: object
  readonly headers?: Record<string, string>
  readonly version?: string
}

/** A call with any headers and body. */
async function call(gateway: { readonly url: string }, { body: name, args = {}, headers = {}, version = newest }: CallOptions) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': newest,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { name, arguments: args, ...(version === newest && { _meta: meta }) }
  const response = await fetch(gateway.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': 'tools/call',
      'mcp-name': name,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  return { status: response.status, text: await response.text() }
}

const audited = async (gateway: { readonly port: number }) =>
  (await doneBy<{ tool: string; outcome: string }>(gateway)).map(({ tool, outcome }) => [tool, outcome])

/** A session of an older revision, which mirrors nothing in headers. */
async function session(gateway: { readonly url: string }): Promise<Record<string, string>> {
  const response = await fetch(gateway.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    }),
  })
  await response.text()
  return { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' }
}

describe('headers that differ from the body', () => {
  it.each([
    ['another tool', { 'mcp-name': 'bank__look' }],
    ['another method', { 'mcp-method': 'tools/list' }],
    ['a name in invalid Base64', { 'mcp-name': '=?base64?!!?=' }],
  ])('GW-014 XHDR-028 with %s: the gateway answers 400, and nothing is called', async (_, headers) => {
    const { gateway, done } = await bank()
    const { status, text } = await call(gateway, { body: 'bank__destroy', headers })
    expect([status, JSON.parse(text).error.code]).toEqual([400, -32020])
    expect(done).toEqual([])
  })

  it('XHDR-028 with other arguments: the gateway answers 400, and nothing is called', async () => {
    const { gateway, done } = await bank()
    const headers = { 'mcp-param-tenant': 'ours' }
    expect((await call(gateway, { body: 'bank__pay', args: { tenant: 'theirs' }, headers })).status).toBe(400)
    expect((await call(gateway, { body: 'bank__pay', args: { tenant: 'ours' }, headers: {} })).status).toBe(400)
    expect(done).toEqual([])
    expect((await call(gateway, { body: 'bank__pay', args: { tenant: 'ours' }, headers })).text).toContain('paid')
  })

  it('GW-014 XHDR-027 are ignored in a revision without mirrored headers: rules and log use the body', async () => {
    const { gateway, done } = await bank()
    const version = '2025-06-18'
    const inSession = await session(gateway)
    const hidden = { ...inSession, 'mcp-name': 'bank__look', 'mcp-param-tenant': 'ours' }
    const refused = await call(gateway, { body: 'bank__destroy', version, headers: hidden })
    expect(refused.text).toMatch(/bank__destroy/)
    expect((await call(gateway, { body: 'bank__pay', args: { tenant: 'theirs' }, version, headers: hidden })).text).toContain(
      'tenant',
    )
    expect(done).toEqual([])
    const allowed = { ...inSession, 'mcp-name': 'bank__destroy' }
    expect((await call(gateway, { body: 'bank__look', version, headers: allowed })).text).toContain('seen')
    expect(await audited(gateway)).toEqual([
      ['bank__look', 'ok'],
      ['bank__pay', 'refused'],
      ['bank__destroy', 'refused'],
    ])
  })

  it('GW-014 do not affect limits other than those of the called tool', async () => {
    const { gateway } = await bank({ guard: { ...guard, rate: { calls: 10, per: 'hour' } } })
    const version = '2025-06-18'
    const inSession = await session(gateway)
    const statuses: boolean[] = []
    for (let at = 0; at < 12; at++) {
      const { text } = await call(gateway, {
        body: 'bank__look',
        version,
        headers: { ...inSession, 'mcp-name': `bank__other${at}` },
      })
      statuses.push(text.includes('too often'))
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => false), true, true])
  })
})

describe('a header with a tenant', () => {
  it('XHDR-029 does not bypass the rules: header and body agree, and the call is denied', async () => {
    const { gateway, done } = await bank()
    const tenant = 'theirs'
    const { text } = await call(gateway, { body: 'bank__pay', args: { tenant }, headers: { 'mcp-param-tenant': tenant } })
    expect(text).toContain("another tenant's")
    expect(done).toEqual([])
  })
})
