// Parameter headers that the tool's definition at the gateway lacks. They may matter to a proxy or server behind it.
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Server, server, tool } from 'toolwire'
import { nodeHandler } from 'toolwire/node'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { UpstreamConfig } from '../../src/config/gateway-config.js'
import { defaultGuard } from '../../src/config/gateway-config.js'
import { child, http, program, started, upstreamConfig } from '../support/running-gateway.js'

const newest = '2026-07-28'
const guard = { ...defaultGuard, approvals: false } as const
const input = z.object({ tenant: z.string().meta({ 'x-mcp-header': 'Tenant' }).optional(), more: z.string().optional() })
const bank = (more: object = {}) =>
  server({ name: 'bank', version: '1.0.0', tools: { pay: tool({ description: 'Pays', input, run: () => 'paid' }) }, ...more })

/** A server that records the raw headers of each call. */
async function noting(app: Server) {
  const calls: string[][] = []
  const handler = nodeHandler(app)
  const listening = createServer((req: IncomingMessage & { body?: unknown }, res) => {
    const pieces: Buffer[] = []
    req.on('data', (piece: Buffer) => pieces.push(piece))
    req.on('end', () => {
      req.body = Buffer.concat(pieces)
      if (String(req.body).includes('"tools/call"')) calls.push(req.rawHeaders)
      handler(req, res)
    })
  })
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void listening.close().closeAllConnections())
  return { url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}/mcp`, calls }
}

async function gatewayTo(app: Server, more: Partial<UpstreamConfig> = {}) {
  const { url, calls } = await noting(app)
  const gateway = await started({ upstreams: [upstreamConfig('bank', http(url), more)], guard })
  return { gateway, passed: () => calls.map(paramsIn) }
}

function paramsIn(headers: readonly string[]): [string, string][] {
  const pairs = headers.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, headers[at + 1] ?? '']] : []))
  return pairs.filter(([name]) => /^mcp-param-/i.test(name))
}

type Called = { readonly headers: readonly string[]; readonly args?: object; readonly name?: string }

/** A call with raw headers, one by one. */
function call({ url }: { readonly url: string }, { headers, args = {}, name = 'bank__pay' }: Called): Promise<string> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': newest,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const body = Buffer.from(
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta } }),
  )
  const usual = {
    'content-type': 'application/json',
    'content-length': String(body.length),
    accept: 'application/json, text/event-stream',
    host: 'localhost',
    'mcp-protocol-version': newest,
    'mcp-method': 'tools/call',
    'mcp-name': name,
  }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: [...Object.entries(usual).flat(), ...headers] }, (response) => {
      let text = ''
      response.on('data', (piece) => (text += piece)).on('end', () => resolve(text))
    })
    sent.on('error', reject).end(body)
  })
}

const odd = ['Mcp-Param-Region', '=?base64?!not it!?=', 'MCP-PARAM-X.y', 'caf\xe9 \t "1"', 'Mcp-Param-Region', ',']

describe('a parameter header that the tool does not declare', () => {
  it('XHDR-026 reaches the upstream byte by byte, and has no effect at the gateway', async () => {
    const { gateway, passed } = await gatewayTo(bank())
    expect(await call(gateway, { headers: odd })).toContain('paid')
    expect(passed()).toEqual([
      [
        ['Mcp-Param-Region', '=?base64?!not it!?='],
        ['MCP-PARAM-X.y', 'caf\xe9 \t "1"'],
        ['Mcp-Param-Region', ','],
      ],
    ])
  })

  it('XHDR-026 does not let other headers pass, and does not change those of the arguments', async () => {
    const { gateway, passed } = await gatewayTo(bank())
    const headers = [
      'mcp-param-tenant',
      'ours',
      'Mcp-Param-Region',
      'eu',
      'X-Mcp-Param-A',
      '1',
      'Mcp-Params',
      '2',
      'Cookie',
      'c=1',
    ]
    expect(await call(gateway, { headers, args: { tenant: 'ours' } })).toContain('paid')
    expect(passed()).toEqual([
      [
        ['mcp-param-tenant', 'ours'],
        ['Mcp-Param-Region', 'eu'],
      ],
    ])
  })

  it('is dropped for an argument that the operator has fixed', async () => {
    const { gateway, passed } = await gatewayTo(bank(), { tools: { pay: { arguments: { tenant: 'ours' } } } })
    expect(await call(gateway, { headers: ['Mcp-Param-Tenant', 'theirs', 'Mcp-Param-B', 'b'] })).toContain('paid')
    expect(passed()).toEqual([
      [
        ['mcp-param-tenant', 'ours'],
        ['Mcp-Param-B', 'b'],
      ],
    ])
  })

  it('is not sent to an upstream whose revision has no such headers, nor over stdio', async () => {
    const { gateway, passed } = await gatewayTo(bank({ revisions: ['2025-06-18'] }))
    expect(await call(gateway, { headers: odd })).toContain('paid')
    expect(passed()).toEqual([[]])
    const notes = upstreamConfig('notes', child(program('notes-server.mjs')), { trusted: true })
    const onPipe = await started({ upstreams: [notes], guard })
    expect(await call(onPipe, { headers: odd, name: 'notes__read' })).toContain('nothing')
  })
})
