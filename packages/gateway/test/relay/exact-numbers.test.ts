// Numbers pass the gateway digit by digit, or the request is refused with their place before any effect.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defective } from '../../../toolwire/test/json/defects.js'
import { howMany } from '../../../toolwire/test/soak.js'
import { parseDocument, readTextFile } from '../../src/config/documents/read-document.js'
import {
  ask,
  child,
  credentialsFor,
  folder,
  pending,
  program,
  type Started,
  started,
  upstreamConfig,
} from '../support/running-gateway.js'
import { open } from '../support/upstream-configs.js'

const readDocument = async (path: string) => parseDocument(path, await readTextFile(path))

const revisions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const
type Revision = (typeof revisions)[number]
const newest: Revision = '2026-07-28'
const upstreams = [upstreamConfig('exact', child(program('exact-server.mjs')), { trusted: true })]
const seed = 8
const inside = [
  '9007199254740991',
  '-9007199254740991',
  '9007199254740992',
  '9007199254740994',
  '100000000000000000000',
  '0.1',
  '1e+300',
]
const beyond = [
  '9007199254740993',
  '-9007199254740993',
  '9223372036854775807',
  '18446744073709551615',
  '9007199254740993.0',
  '1e400',
  '1e-400',
]

/** Sends a request exactly as written, and returns the raw answer. */
function caller(gateway: Started, revision: Revision) {
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const post = async (body: string, more: Record<string, string> = {}) => {
    const response = await fetch(gateway.url, { method: 'POST', headers: { ...headers, ...more }, body })
    const session = response.headers.get('mcp-session-id')
    if (session !== null) headers['mcp-session-id'] = session
    return { status: response.status, text: await response.text() }
  }
  const _meta = `{"io.modelcontextprotocol/protocolVersion":"${newest}","io.modelcontextprotocol/clientCapabilities":{}}`
  return {
    async open() {
      if (revision === newest) return
      const params = `{"protocolVersion":"${revision}","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`
      await post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":${params}}`)
      if (revision >= '2025-06-18') headers['mcp-protocol-version'] = revision
      await post('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    },
    call(name: string, args: string, { id = '7', more = '' } = {}) {
      const params = `{"name":"exact__${name}","arguments":${args}${revision === newest ? `,"_meta":${_meta}` : ''}}`
      const mirrored = { 'mcp-protocol-version': newest, 'mcp-method': 'tools/call', 'mcp-name': `exact__${name}` }
      return post(
        `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}${more}}`,
        revision === newest ? mirrored : {},
      )
    },
  }
}

describe.each(revisions)('a caller of %s', (revision) => {
  it('has its numbers sent digit by digit, or gets their place in an error without a call', async () => {
    const gateway = await started({ upstreams, guard: open })
    const one = caller(gateway, revision)
    await one.open()
    const place = fc.constantFrom<[string, string]>(
      ['{"id":@}', '/id'],
      ['{"a":[1,{"b":@}]}', '/a/1/b'],
      ['{"id":1,"__proto__":{"x":@}}', '/__proto__/x'],
    )
    await fc.assert(
      fc.asyncProperty(place, fc.constantFrom(...inside), async ([args, _], number) => {
        const { text } = await one.call('echo', args.replace('@', number))
        expect(text.replaceAll('\\', '')).toContain(`"arguments":${args.replace('@', number)}`)
      }),
      { numRuns: howMany(5, 20), seed },
    )
    await fc.assert(
      fc.asyncProperty(place, fc.constantFrom(...beyond, '"\\ud800"', '{"a":1,"a":2}'), async ([args, at], bad) => {
        const { text } = await one.call('echo', args.replace('@', bad))
        expect(text).toContain(`at /params/arguments${at}`)
        expect(text).toContain('"id":7')
        expect(text).toContain('-32700')
      }),
      { numRuns: howMany(5, 20), seed },
    )
  })

  it('learns that the call was made, and the place of the number, if the result cannot be represented', async () => {
    const gateway = await started({ upstreams, guard: open })
    const one = caller(gateway, revision)
    await one.open()
    const place = fc.constantFrom<[string, string]>(
      ['{"content":[],"structuredContent":{"id":@}}', '/result/structuredContent/id'],
      ['{"content":[],"_meta":{"x":{"y":[@]}}}', '/result/_meta/x/y/0'],
      ['{"content":[{"type":"text","text":"a","n":@}]}', '/result/content/0/n'],
      ['{"content":[{"type":"text","text":"a"}],"x":@}', '/result/x'],
    )
    await fc.assert(
      fc.asyncProperty(place, fc.constantFrom(...beyond), async ([whole, at], raw) => {
        const { text } = await one.call('reply', JSON.stringify({ whole, raw }))
        expect(text).toContain('The server received the request')
        expect(text).toContain(at)
      }),
      { numRuns: 12, seed },
    )
    const { text } = await one.call('reply', JSON.stringify({ whole: '{"content":[],"_meta":{"n":@}}', raw: '9007199254740994' }))
    expect(text).toContain('"n":9007199254740994')
  })
})

describe('a pending call', () => {
  it.each(inside)('is shown, approved, recorded and sent with %s', async (number) => {
    const gateway = await started({ upstreams })
    const one = caller(gateway, newest)
    const sent = one.call('write', `{"id":${number}}`)
    const { id } = await pending(gateway)
    const view = await (
      await fetch(`http://127.0.0.1:${gateway.port}/api/v1/approvals`, { headers: credentialsFor(gateway) })
    ).text()
    expect(view).toContain(`"id":${number}}`)
    await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow' } })
    expect((await sent).text.replaceAll('\\', '')).toContain(`"arguments":{"id":${number}}`)
  })

  it('has another digest for each different number', async () => {
    const gateway = await started({ upstreams, guard: open })
    const one = caller(gateway, newest)
    const near = Array.from({ length: 12 }, (_, at) => String(9007199254740986n + BigInt(at)))
    const taken: string[] = []
    for (const number of near) if ((await one.call('write', `{"id":${number}}`)).text.includes('"result"')) taken.push(number)
    expect(taken).toEqual(near.filter((number) => BigInt(Number(number)) === BigInt(number)))
    const log = await (
      await fetch(`http://127.0.0.1:${gateway.port}/api/v1/audit/export`, { headers: credentialsFor(gateway) })
    ).text()
    const intents = log
      .split('\n')
      .filter(
        (line) =>
          line.includes('"tool":"exact__write"') && line.includes('"kind":"intent"') && !line.includes('"tool":"toolwire/'),
      )
    const digests = intents.map((line) => /hmac[\\":]+([\w+/=-]+)/.exec(line)?.[1])
    expect(digests).toHaveLength(taken.length)
    expect(digests).not.toContain(undefined)
    expect(new Set(digests).size).toBe(taken.length)
  })

  it('keeps the tool whose schema names the range of an integer type', async () => {
    const gateway = await started({ upstreams, guard: open })
    const { text } = await caller(gateway, newest).call('wide', '{"n":1}')
    expect(text).toContain('"result"')
  })
})

describe('the management API', () => {
  it('refuses an invalid number in any body, with its place', async () => {
    const gateway = await started({ upstreams, guard: open })
    const post = async (path: string, body: string | Uint8Array<ArrayBuffer>) => {
      const init = { method: 'POST', headers: credentialsFor(gateway, { 'content-type': 'application/json' }), body }
      const response = await fetch(`http://127.0.0.1:${gateway.port}/api/v1${path}`, init)
      return [response.status, ((await response.json()) as { error: string }).error] as const
    }
    const paths = ['/keys', '/policy/test', '/tools/exact__echo/try', '/approvals/x', '/servers/changes', '/pins/exact/echo']
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), defective, async (path, { text, path: at }) => {
        const [status, error] = await post(path, `{"x":${text}}`)
        if (status === 404 || status === 405) return
        expect([path, status]).toEqual([path, 400])
        expect(error).toContain('The body is not accepted: ')
        expect(error).toContain(` at /x${at.length > 0 ? '/' : ''}`)
      }),
      { numRuns: howMany(12, 60), seed },
    )
    expect(await post('/keys', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toEqual([
      400,
      'The body is not accepted: not valid UTF-8, from byte 2 on',
    ])
    expect((await post('/keys', '{"name":"a","unknown":1}'))[0]).toBe(400)
  })
})

describe('a config', () => {
  it.each([
    ['mcp.json', '{\n"mcpServers": {},\n"x": {"n": @}}'],
    ['mcp.jsonc', '// mine\n{ "mcpServers": {},\n"x": [@],}'],
    ['mcp.toml', '[mcpServers]\n[x]\nn = @'],
  ])('in %s is refused for a number that cannot be represented, with its line', async (name, whole) => {
    const path = join(folder(), name)
    for (const literal of ['9007199254740993', '1e400', '1e-400', '18446744073709551615']) {
      writeFileSync(path, whole.replace('@', literal))
      const refusal = await readDocument(path).then(
        () => 'taken',
        (thrown: Error) => thrown.message,
      )
      expect(refusal).toContain('cannot be held exactly')
      expect(refusal).toMatch(/\b3\b/)
    }
    writeFileSync(path, whole.replace('@', '9007199254740991'))
    await expect(readDocument(path)).resolves.toBeDefined()
  })
})
