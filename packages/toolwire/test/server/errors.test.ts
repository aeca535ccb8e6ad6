import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ask, prompt, RpcError, resource, server, template, tool } from 'toolwire'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../../src/json.js'
import { every } from '../revisions.js'
import { said, speaking } from './pipe.js'
import { mirrored, overHttp } from './post.js'

const sources = fileURLToPath(new URL('../../src/', import.meta.url))
const headerMismatch = -32020
const missingCapability = -32021
const unsupportedVersion = -32022

const greet = tool({ description: 'Greets', asks: { who: ask('Who?', z.object({ name: z.string() })) }, run: () => 'hello' })
const page = tool({
  description: 'Sends to a page',
  asks: { page: ask.url('Sign in', 'https://example.com') },
  run: () => 'done',
})
const greeter = () =>
  server({
    name: 'greeter',
    version: '1.0.0',
    tools: { greet, page },
    resources: { a: resource({ uri: 'a:1', read: () => '' }) },
  })

/** A server whose handlers all throw an error with the code. */
function throwing(code: number) {
  const throws = () => {
    throw new RpcError(code, 'No more', { data: { left: 0 } })
  }
  return server({
    name: 'throwing',
    version: '1.0.0',
    tools: { t: tool({ description: 'Throws', run: throws }) },
    resources: { r: template({ uriTemplate: 'r:{x}', complete: { x: throws }, read: throws }) },
    prompts: { p: prompt({ run: throws }) },
  })
}

const throwers: readonly (readonly [string, JsonObject])[] = [
  ['tools/call', { name: 't' }],
  ['resources/read', { uri: 'r:1' }],
  ['prompts/get', { name: 'p' }],
  ['completion/complete', { ref: { type: 'ref/resource', uri: 'r:{x}' }, argument: { name: 'x', value: '' } }],
]

describe.each(every)('A handler in %s', (revision) => {
  beforeEach(() => vi.spyOn(console, 'error').mockImplementation(() => {}))
  afterEach(() => vi.restoreAllMocks())

  it.each([
    -32768, -32100, -32042, -32021, -32002, -32001, -32000,
  ])('ERRC-006 that throws the reserved code %i causes an internal error, with a report to the operator', async (code) => {
    const { ask } = await speaking(throwing(code), revision)
    for (const [method, params] of throwers) {
      const { error } = await ask(method, params)
      expect([method, error]).toEqual([method, { code: -32603, message: 'No more', data: { left: 0 } }])
    }
    expect(vi.mocked(console.error).mock.calls.join()).toContain(String(code))
  })

  it.each([-32769, -31999, -1, 4000, -32602])('ERRC-006 may throw the code %i', async (code) => {
    const { ask } = await speaking(throwing(code), revision)
    for (const [method, params] of throwers) expect((await ask(method, params)).error).toMatchObject({ code })
  })
})

it('ERRC-001 the server uses only the codes of JSON-RPC and of the protocol', () => {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
  expect(files.length).toBeGreaterThan(50)
  const written = files.flatMap((path) =>
    [...readFileSync(`${sources}/${path}`, 'utf8').matchAll(/-32_?\d{3}\b/g)].map(([code]) => Number(code.replace('_', ''))),
  )
  const bounds = [-32768, -32000] // limits of the reserved range, in the check of codes from handlers
  const allowed = [-32700, -32600, -32601, -32602, -32603, headerMismatch, missingCapability, unsupportedVersion]
  const older = [-32002, -32042] // ERRC-003 shows that only older revisions use them
  expect([...new Set(written)].sort()).toEqual([...allowed, ...older, ...bounds].sort())
})

describe('In 2026-07-28', () => {
  it('ERRC-003 a missing resource and a page to visit have no codes of their own', async () => {
    const modern = await speaking(greeter(), '2026-07-28')
    expect((await modern.ask('resources/read', { uri: 'no:where' })).error).toMatchObject({ code: -32602 })
    expect((await modern.ask('tools/call', { name: 'page' })).error).toMatchObject({ code: missingCapability })
    const older = await speaking(greeter(), '2025-11-25')
    expect((await older.ask('resources/read', { uri: 'no:where' })).error).toMatchObject({ code: -32002 })
  })

  it('ERRC-008 the error for a missing capability has the form of a declaration', async () => {
    const { ask } = await speaking(greeter(), '2026-07-28')
    const named = async (name: string) => (await ask('tools/call', { name })).error
    expect(await named('greet')).toMatchObject({
      code: missingCapability,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    })
    expect(await named('page')).toMatchObject({
      code: missingCapability,
      data: { requiredCapabilities: { elicitation: { url: {} } } },
    })
  })

  it('ERRC-009 the error for an unsupported version lists the supported ones', async () => {
    const { pipe } = await speaking(greeter(), '2026-07-28')
    const { _meta } = said()
    const { error } = await pipe.ask('tools/list', {
      _meta: { ..._meta, 'io.modelcontextprotocol/protocolVersion': '1900-01-01' },
    })
    expect(error).toMatchObject({ code: unsupportedVersion, data: { supported: [...every].reverse(), requested: '1900-01-01' } })
  })

  it('ERRC-005 ERRC-010 each code stands for one kind of mistake, and over HTTP for status 400', async () => {
    const request = (method: string, params: JsonObject, _meta = said()._meta) => ({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: { ...params, _meta },
    })
    const { 'io.modelcontextprotocol/clientCapabilities': _, ...incomplete } = said()._meta
    const other = { ...said()._meta, 'io.modelcontextprotocol/protocolVersion': '1900-01-01' }
    const call = request('tools/call', { name: 'greet' })
    const list = request('tools/list', {})
    await overHttp(greeter(), async (post) => {
      const statusAndCode = async (message: JsonObject, headers = mirrored(message)) => {
        const { status, body } = await post(message, headers)
        return [status, body.error?.code]
      }
      expect(await statusAndCode(list, { ...mirrored(list), 'mcp-protocol-version': '2025-11-25' })).toEqual([
        400,
        headerMismatch,
      ])
      expect(await statusAndCode(list, { ...mirrored(list), 'mcp-method': 'tools/call' })).toEqual([400, headerMismatch])
      expect(await statusAndCode(call, { ...mirrored(call), 'mcp-name': 'page' })).toEqual([400, headerMismatch])
      expect(await statusAndCode(call)).toEqual([400, missingCapability])
      expect(
        await statusAndCode(request('tools/list', {}, other), { ...mirrored(list), 'mcp-protocol-version': '1900-01-01' }),
      ).toEqual([400, unsupportedVersion])
      expect(await statusAndCode(request('tools/list', {}, incomplete))).toEqual([400, -32602])
      expect(await statusAndCode(request('tools/call', { name: 'nothing' }))).toEqual([200, -32602])
      expect(await statusAndCode(request('tools/list', { cursor: 'zzz' }))).toEqual([200, -32602])
      expect(await statusAndCode(request('no/such/method', {}))).toEqual([404, -32601])
    })
  })
})
