// One denied call in every form of an HTTP request.
import { listen } from 'toolwire/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { every, since, until } from '../../revisions.js'
import '../../reported-faults.js'
import { clientInfo, said } from '../../server/pipe.js'
import { victim } from './victim.js'

type Answer = { error?: { code: number; message: string }; result?: { isError?: boolean; content: { text: string }[] } }
type Headers = { readonly [name: string]: string }

const { app, ran } = victim()
const both = 'application/json, text/event-stream'
let listening: Awaited<ReturnType<typeof listen>>
beforeAll(async () => {
  listening = await listen(app, { signals: false })
})
afterAll(() => listening.close())

async function post(body: string | Uint8Array<ArrayBuffer>, headers: Headers) {
  const response = await fetch(listening.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: both, ...headers },
    body,
  })
  const text = await response.text()
  const event = text.split('\n').findLast((line) => line.startsWith('data: {'))
  const answer: Answer = JSON.parse(event?.slice('data: '.length) || text || '{}')
  return { status: response.status, headers: response.headers, answer }
}

const words = ({ error, result }: Answer) => error?.message ?? result?.content[0]?.text
const denied = 'This call to delete_file is not allowed'

/** The headers and metadata that every request of the revision needs. */
async function manners(revision: string): Promise<{ headers: Headers; params: object }> {
  const named = { 'mcp-protocol-version': revision }
  if (since('2026-07-28').includes(revision))
    return { headers: { ...named, 'mcp-method': 'tools/call', 'mcp-name': 'delete_file' }, params: said() }
  const params = { protocolVersion: revision, capabilities: {}, clientInfo }
  const opened = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }), {})
  const headers = { ...named, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
  await post('{"jsonrpc":"2.0","method":"notifications/initialized"}', headers)
  return { headers, params: {} }
}

const call = (more: object, name = 'delete_file') =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name, arguments: { path: '/etc/passwd' }, ...more } })

const http = every.filter((one) => one !== '2024-11-05')

describe.each(http)('one denied call over HTTP at %s', (revision) => {
  let headers: Headers
  let body: string
  beforeAll(async () => {
    const usual = await manners(revision)
    headers = usual.headers
    body = call(usual.params)
  })

  it.each<readonly [string, Headers]>([
    ['as usual', {}],
    ['with a reply stream preferred', { accept: 'text/event-stream;q=1, application/json;q=0.1' }],
    ['with JSON preferred', { accept: 'application/json;q=1, text/event-stream;q=0.1' }],
    ['with any reply accepted', { accept: '*/*' }],
    ['with a charset', { 'content-type': 'application/json; charset=utf-8' }],
    ['in another case', { 'content-type': 'Application/JSON' }],
    [
      'with headers that mean nothing',
      { 'x-http-method-override': 'GET', 'x-original-url': '/', 'x-forwarded-host': 'localhost' },
    ],
  ])('SECS-002 is denied %s', async (_, more) => {
    const { answer } = await post(body, { ...headers, ...more })
    expect(words(answer)).toBe(denied)
    expect(ran).toEqual([])
  })

  it.each<readonly [string, (text: string) => Uint8Array<ArrayBuffer>, Headers]>([
    ['in UTF-16', (text) => new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le')), {}],
    [
      'in UTF-16 that says so',
      (text) => new Uint8Array(Buffer.from(text, 'utf16le')),
      { 'content-type': 'application/json; charset=utf-16le' },
    ],
    ['behind a byte order mark', (text) => new TextEncoder().encode(`\ufeff${text}`), {}],
    ['in bytes that are no UTF-8', (text) => new Uint8Array(Buffer.from(text.replace('/etc', '/\u00ff'), 'latin1')), {}],
    ['with slashes in two bytes', (text) => overlong(text), {}],
    ['twice', (text) => new TextEncoder().encode(`${text}\n${text}`), {}],
    ['as a form', (text) => new TextEncoder().encode(text), { 'content-type': 'application/x-www-form-urlencoded' }],
    ['as plain text', (text) => new TextEncoder().encode(text), { 'content-type': 'text/plain' }],
  ])('is invalid %s', async (_, spell, more) => {
    const { status, answer } = await post(spell(body), { ...headers, ...more })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(answer.result).toBeUndefined()
    expect(words(answer)).not.toBe(denied)
    expect(ran).toEqual([])
  })
})

/** The slash in an overlong encoding that careless decoders accept: C0 AF. */
function overlong(text: string): Uint8Array<ArrayBuffer> {
  const [before = '', after = ''] = text.split('/etc')
  return new Uint8Array([...Buffer.from(before), 0xc0, 0xaf, ...Buffer.from(`etc${after}`)])
}

describe.each(since('2026-07-28'))('headers that name another call, %s', (revision) => {
  it.each<readonly [string, Headers]>([
    ['a harmless tool', { 'mcp-name': 'query' }],
    ['the tool in upper case', { 'mcp-name': 'DELETE_FILE' }],
    ['two tools', { 'mcp-name': 'delete_file, query' }],
    ['the tool in percents', { 'mcp-name': 'delete%5ffile' }],
    ['another tool in base64', { 'mcp-name': '=?base64?cXVlcnk=?=' }],
    ['no tool', { 'mcp-name': '' }],
    ['another method', { 'mcp-method': 'tools/list' }],
    ['the method in upper case', { 'mcp-method': 'TOOLS/CALL' }],
    ['an older revision', { 'mcp-protocol-version': until('2025-11-25').at(-1) ?? '' }],
    ['a revision that never was', { 'mcp-protocol-version': '1999-01-01' }],
  ])('SECS-002 are refused if they name %s, before any rule is evaluated', async (_, more) => {
    const { headers, params } = await manners(revision)
    const { status, answer } = await post(call(params), { ...headers, ...more })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(answer.error).toBeDefined()
    expect(words(answer)).not.toBe(denied)
    expect(ran).toEqual([])
  })

  it('SECS-002 are refused if the body names the harmless call', async () => {
    const { headers, params } = await manners(revision)
    const { status, answer } = await post(call(params, 'query'), headers)
    expect([status, answer.result, ran]).toEqual([400, undefined, []])
  })

  it('SECS-002 may encode the name in base64, and the call is still denied', async () => {
    const { headers, params } = await manners(revision)
    const name = `=?base64?${Buffer.from('delete_file').toString('base64')}?=`
    const { answer } = await post(call(params), { ...headers, 'mcp-name': name })
    expect([words(answer), ran]).toEqual([denied, []])
  })
})
