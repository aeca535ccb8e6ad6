// Clients that fail on valid schemas, beside others, at one gateway.
import { type JsonObject, server } from 'toolwire'
import type { Client } from 'toolwire/client'
import { relay } from 'toolwire/relay'
import { describe, expect, it } from 'vitest'
import { defaultGuard, type GatewayConfig } from '../../src/config/gateway-config.js'
import { client, http, started, until, upstreamConfig } from '../support/running-gateway.js'
import { listening } from '../support/upstream-fixture.js'

const newest = '2026-07-28'
const dialect = 'https://json-schema.org/draft/2020-12/schema'
const guard = { ...defaultGuard, approvals: false, rate: false, lists: false } as const
const schemas: { readonly [tool: string]: JsonObject } = {
  plain: { type: 'object', properties: { a: { type: 'string' } } },
  referring: { type: 'object', properties: { to: { $ref: '#/$defs/Place' } }, $defs: { Place: { enum: ['here', 'there'] } } },
  either: {
    $schema: dialect,
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'string' } },
    anyOf: [{ required: ['a'] }, { required: ['b'] }],
  },
  tree: {
    type: 'object',
    properties: { tree: { $ref: '#/$defs/tree' } },
    $defs: { tree: { properties: { left: { $ref: '#/$defs/tree' } } } },
  },
}

/** A gateway to a server that lists exactly these schemas, and the arguments that it received. */
async function gatewayTo(more: Partial<GatewayConfig> = {}) {
  const called: JsonObject[] = []
  const run = async (args: JsonObject) => {
    called.push(args)
    return { content: [{ type: 'text' as const, text: 'done' }], isError: false }
  }
  const tools = Object.entries(schemas).map(([name, inputSchema]) => [name, relay({ name, inputSchema }, { run })])
  const { url } = await listening(server({ name: 'odd', version: '1.0.0', tools: Object.fromEntries(tools) }))
  const gateway = await started({ upstreams: [upstreamConfig('odd', http(url))], guard, ...more })
  return { gateway, called }
}

const known = (url: string, name: string, revision = newest) => client(url, { clientInfo: { name, version: '1.0.0' }, revision })

async function listed(of: Client): Promise<Record<string, JsonObject>> {
  const tools = await of.listTools({ fresh: true })
  return Object.fromEntries(tools.map(({ name, inputSchema }) => [name.replace('odd__', ''), inputSchema]))
}

const referred = { type: 'object', properties: { to: { enum: ['here', 'there'] } } }
const eitherAtAll = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } }

describe('a client with known schema problems', () => {
  it('gets repaired schemas, while others get the original ones', async () => {
    const { gateway } = await gatewayTo({ clients: { 'my-agent*': { schemas: 'plain' } } })
    for (const _ of ['again', 'from what is kept']) {
      expect(await listed(await known(gateway.url, 'other'))).toEqual(schemas)
      expect(await listed(await known(gateway.url, 'claude-code'))).toEqual({ ...schemas, either: eitherAtAll })
      const { tree: _tree, ...others } = schemas
      expect(await listed(await known(gateway.url, 'opencode'))).toEqual({ ...others, referring: referred })
      expect(await listed(await known(gateway.url, 'my-agent-2'))).toEqual({
        ...others,
        referring: referred,
        either: eitherAtAll,
      })
    }
  })

  it('gets repaired schemas in a session, too, and in every set', async () => {
    const { gateway } = await gatewayTo({ sets: { few: ['odd__referring'] } })
    for (const revision of ['2025-06-18', '2025-11-25', newest]) {
      expect(await listed(await known(gateway.url, 'opencode', revision))).toMatchObject({ referring: referred })
      const few = await known(`${gateway.url}/few`, 'opencode', revision)
      expect(await listed(few)).toEqual({ referring: referred })
      expect((await listed(await known(gateway.url, 'other', revision))).referring).toEqual(schemas.referring)
    }
  })

  it('misses only the tool that cannot be repaired, and the log reports it once with the reason', async () => {
    const { gateway } = await gatewayTo({ sets: { all: ['*'] } })
    for (const url of [gateway.url, `${gateway.url}/all`])
      for (const name of ['opencode', 'opencode', 'gemini-cli-mcp-client-x', 'other'])
        expect(Object.keys(await listed(await known(url, name)))).toHaveLength(name === 'other' ? 4 : 3)
    const logged = gateway.log.filter((line) => line.includes('not listed'))
    expect(logged).toHaveLength(1)
    expect(logged[0]).toMatch(
      /^odd__tree is not listed for clients that cannot read \$ref, because its schema cannot be rewritten: \$ref at \/properties\/tree.* refers to itself$/,
    )
  })

  it('calls by the original schema, not by the repaired one', async () => {
    const { gateway, called } = await gatewayTo()
    const coder = await known(gateway.url, 'claude-code')
    expect(await coder.call('odd__either', {})).toMatchObject({ isError: true })
    expect(called).toEqual([])
    expect(await coder.call('odd__either', { b: 'x' })).toMatchObject({ content: [{ text: 'done' }] })
    const agent = await known(gateway.url, 'opencode')
    const hidden = await agent.request('tools/call', { name: 'odd__tree', arguments: { tree: { left: {} } } })
    expect(hidden).toMatchObject({ content: [{ text: 'done' }] })
    expect(called).toEqual([{ b: 'x' }, { tree: { left: {} } }])
  })

  it("gets schemas by the operator's settings as soon as they change", async () => {
    const { gateway } = await gatewayTo()
    const agent = await known(gateway.url, 'my-agent')
    let changes = 0
    agent.onChange(({ kind }) => void (kind === 'tools' && changes++))
    const say = (clients: GatewayConfig['clients'] & object) => gateway.change({ ...gateway.config, clients })
    expect((await listed(agent)).referring).toEqual(schemas.referring)
    await say({ 'MY-*': { schemas: 'plain' } })
    await until(() => changes > 0)
    expect((await listed(agent)).referring).toEqual(referred)
    await say({ 'claude-code': { schemas: 'original' } })
    expect((await listed(agent)).referring).toEqual(schemas.referring)
    expect(await listed(await known(gateway.url, 'claude-code'))).toEqual(schemas)
  })
})
