// The headers of parameters in a handler. spec 2026-07-28, basic/transports/streamable-http#server-behavior-for-custom-headers
import { request } from 'node:http'
import { server, tool } from 'toolwire'
import { listen } from 'toolwire/node'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { harness } from '../../../src/testing/harness.js'

function seeing() {
  const seen: (readonly string[] | undefined)[] = []
  const input = z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }).optional() })
  const look = tool({ input, description: 'Looks', run: (_, { paramHeaders }) => String(seen.push(paramHeaders)) })
  return { seen, app: server({ name: 'shop', version: '1.0.0', tools: { look }, http: { hosts: 'any' } }) }
}

const newest = '2026-07-28'
const body = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'look',
    arguments: { region: 'eu' },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': newest,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
})
const usual = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': newest,
  'mcp-method': 'tools/call',
  'mcp-name': 'look',
  'mcp-param-region': 'eu',
}

/** Sends raw headers. */
function post(url: string, more: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = [
      ...Object.entries(usual).flat(),
      'content-length',
      String(Buffer.byteLength(body)),
      'host',
      'localhost',
      ...more,
    ]
    request(url, { method: 'POST', headers }, (response) => response.resume().on('end', resolve))
      .on('error', reject)
      .end(Buffer.from(body))
  })
}

async function listening() {
  const { app, seen } = seeing()
  const { url, close } = await listen(app, { signals: false })
  onTestFinished(close)
  return { url, seen }
}

describe('a handler', () => {
  it('receives the headers of parameters unchanged, including those that the tool does not define', async () => {
    const { url, seen } = await listening()
    await post(url, [
      'Mcp-Param-Tenant',
      '=?base64?!?=',
      'X-Other',
      '1',
      'MCP-PARAM-a.b',
      '\xe9 \t b',
      'Mcp-Params',
      'x',
      'Mcp-Param-Tenant',
      '2',
    ])
    expect(seen).toEqual([
      ['mcp-param-region', 'eu', 'Mcp-Param-Tenant', '=?base64?!?=', 'MCP-PARAM-a.b', '\xe9 \t b', 'Mcp-Param-Tenant', '2'],
    ])
  })

  it('also receives them through a web Request', async () => {
    const { app, seen } = seeing()
    const headers = { ...usual, 'Mcp-Param-Tenant': 'ours', 'X-Other': '1' }
    await app.fetch(new Request('http://shop.example/mcp', { method: 'POST', headers, body }))
    expect(seen).toEqual([['mcp-param-region', 'eu', 'mcp-param-tenant', 'ours']])
  })

  it('receives all of them, up to the limit of a request', async () => {
    const { url, seen } = await listening()
    await post(url, Array.from({ length: 90 }, (_, n) => [`Mcp-Param-N${n}`, 'x']).flat())
    expect(seen[0]).toHaveLength(2 * 91)
  })

  it('receives none on a pipe, in an older revision, or if there are none', async () => {
    const { app, seen } = seeing()
    for (const revision of ['2025-11-25', newest]) {
      await using t = await harness(app, { revision })
      await t.call('look')
    }
    expect(seen).toEqual([undefined, undefined])
  })
})
