// The rows of docs/reference/errors.md are correct: each case here is looked up there, and tried.
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { type JsonObject, Refusal, RpcError, type Server, type ServerOptions, server, ToolError, tool } from 'toolwire'
import type { Policy } from 'toolwire/guard'
import { listen } from 'toolwire/node'
import { defineRules, rules } from 'toolwire/rules'
import { harness } from 'toolwire/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const page = readFileSync(fileURLToPath(new URL('../reference/errors.md', import.meta.url)), 'utf8')

/** The cells of the only row that begins with this text. */
function row(begins: string): string[] {
  const found = page.split('\n').filter((line) => line.startsWith(`| ${begins}`))
  expect(found, `a row of errors.md that begins with "${begins}"`).toHaveLength(1)
  return (found[0] ?? '')
    .split('|')
    .slice(2, -1)
    .map((cell) => cell.trim())
}

const revisions = ['2025-06-18', '2025-11-25', '2026-07-28'] as const
const text = z.object({ text: z.string() })
const refusing = (reason: Refusal['reason']): Policy => ({
  name: reason,
  call: () => Promise.reject(new Refusal(reason, 'No')),
})

const run = () => 'done'
const tools = {
  plain: tool({ description: 'Does it', run }),
  strict: tool({ description: 'Wants a text', input: text, run }),
  rare: tool({ description: 'Runs once', limit: { calls: 1, per: 'day' }, run }),
  slow: tool({ description: 'Does not end', timeout: 20, run: () => new Promise<string>(() => {}) }),
  large: tool({ description: 'Gives too much', run: () => 'x'.repeat(4_190_000) }),
  explains: tool({ description: 'Fails', run: () => Promise.reject(new ToolError('The shop is closed')) }),
  throws: tool({ description: 'Throws', run: () => Promise.reject(new Error('inside')) }),
  breaks: tool({ description: 'Breaks its word', output: text, run: () => ({ text: 7 }) as never }),
  own: tool({ description: 'Has a code', run: () => Promise.reject(new RpcError(-7, 'Seven')) }),
}

const ruled = rules(
  defineRules({
    rules: [
      { name: 'never', when: { tool: 'plain' }, decision: 'deny' },
      { name: 'not this', when: { tool: 'strict', arguments: { text: 'secret' } }, decision: 'deny' },
      { name: 'else', decision: 'allow' },
    ],
  }),
)
const asking = { approve: { ask: async () => 'deny' as const, when: () => true } }

type Try = [
  begins: string,
  name: string,
  args: JsonObject,
  options?: Pick<ServerOptions<never>, 'guard' | 'policies'>,
  before?: number,
]
const tries: Try[] = [
  ['no such tool, or hidden', 'nobody', {}],
  ['arguments that the schema refuses', 'strict', {}],
  ['called too often', 'rare', {}, {}, 1],
  ['called too often', 'slow', {}],
  ['denied, or not approved', 'plain', {}, { guard: asking }],
  ['rules allow no call of this tool', 'plain', {}, { guard: { rules: ruled } }],
  ['a rule does not allow this call', 'strict', { text: 'secret' }, { guard: { rules: ruled } }],
  ['a `Refusal` of another policy', 'plain', {}, { policies: [refusing('not-approved')] }],
  ['no such tool, or hidden', 'plain', {}, { policies: [refusing('unknown-tool')] }],
  ['`ToolError`', 'explains', {}],
  ['anything else thrown', 'throws', {}],
  ['an output that breaks its own schema', 'breaks', {}],
  ['a result larger than', 'large', {}],
  ['`RpcError` of your own', 'own', {}],
]

/** The outcome of a call, in the words of the page. */
async function outcome(
  app: Server,
  revision: string,
  { name, args, before = 0 }: { name: string; args: JsonObject; before?: number | undefined },
) {
  await using client = await harness(app, { revision })
  try {
    for (let turn = 0; turn < before; turn++) await client.call(name, args)
    const { isError, content } = await client.call(name, args)
    const hasId = /\(error [0-9a-f]+\)/.test(JSON.stringify(content))
    return isError ? (hasId ? 'result, with an error id' : 'result') : 'a success'
  } catch (thrown) {
    if (!(thrown instanceof RpcError)) throw thrown
    return thrown.code === -7 ? 'that error' : String(thrown.code)
  }
}

describe.each(revisions.map((revision, column) => ({ revision, column })))('In $revision', ({ revision, column }) => {
  it.each(tries)('%s: %s is answered as errors.md says', async (begins, name, args, options = {}, before) => {
    const cells = row(begins)
    const app = server({ name: 'errors', version: '1.0.0', tools, ...options })
    const said = cells[column] === 'the same' ? cells[0] : cells[column]
    expect(await outcome(app, revision, { name, args, before })).toBe(said)
  })
})

it('The table of client failures has exactly the failures that the client throws', () => {
  const source = fileURLToPath(new URL('../../packages/toolwire/src/client/errors.ts', import.meta.url))
  const [, union = ''] = /export type CallFailureCode =\n([\s\S]*?)\n\n/.exec(readFileSync(source, 'utf8')) ?? []
  const codes = [...union.matchAll(/^ *\| '(\w+)'$/gm)].map(([, code]) => code)
  const [, section = ''] = page.split('\n## Failures of a client\n')
  const rows = [...section.matchAll(/^\| `(\w+)` \| /gm)].map(([, code]) => code).filter((code) => code !== 'code')
  expect(codes.length).toBeGreaterThan(5)
  expect(rows).toEqual(codes)
})

describe('Over HTTP, before a message is understood', () => {
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`x-${at}`, '1']))
  const requests: [begins: string, method: string, headers: Headers, body: string][] = [
    ['the headers are larger', 'POST', { ...json, 'x-large': 'x'.repeat(17_000) }, message],
    ['more than 100 headers', 'POST', { ...json, ...many }, message],
    ['two `Host` headers', 'POST', { ...json, host: ['localhost', 'localhost'] }, message],
    ['two `Authorization` or `Content-Type`', 'POST', { ...json, authorization: ['Bearer a', 'Bearer b'] }, message],
    ['two `Authorization` or `Content-Type`', 'POST', { ...json, 'content-type': Array(2).fill('application/json') }, message],
    ['`Host` or `Origin`', 'POST', { ...json, host: 'evil.example' }, message],
    ['`Host` or `Origin`', 'POST', { ...json, origin: 'https://evil.example' }, message],
    ['the body is announced larger', 'POST', json, `"${'x'.repeat(4 * 1024 * 1024)}"`],
    ['another method', 'PUT', json, message],
    ['`Content-Type` is not JSON', 'POST', { ...json, 'content-type': 'text/plain' }, message],
    ['`Accept` of a POST takes no JSON', 'POST', { ...json, accept: 'image/png' }, message],
    ['no JSON, or JSON two readers', 'POST', json, '{bad'],
    ['no JSON, or JSON two readers', 'POST', json, message.replace('{', '{"id":2,')],
    ['JSON, but no JSON-RPC message', 'POST', json, '{"a":1}'],
  ]

  it.each(requests)('%s: %s is answered as errors.md says', async (begins, method, headers, body) => {
    const [said = ''] = row(begins)
    await using listening = await started()
    const { status, code } = await sent(listening.url, { method, headers, body })
    const [wanted, wantedCode] = said.split(', ')
    expect(String(status)).toBe(wanted?.split(' ')[0])
    if (wantedCode) expect(String(code)).toBe(wantedCode)
  })

  async function started() {
    const { url, close } = await listen(server({ name: 'errors', version: '1.0.0', tools }), { port: 0, signals: false })
    return { url, [Symbol.asyncDispose]: close }
  }
})

type Headers = Readonly<Record<string, string | string[]>>

function sent(
  url: string,
  { method, headers, body }: { method: string; headers: Headers; body: string },
): Promise<{ status: number | undefined; code: unknown }> {
  // Node sends a header twice only if the headers are a list of names and values.
  const all = { host: new URL(url).host, 'content-length': String(Buffer.byteLength(body)), ...headers }
  const raw = Object.entries(all).flatMap(([name, value]) => [value].flat().flatMap((one) => [name, one]))
  return new Promise((resolve, reject) => {
    let hasResponse = false
    const out = request(url, { method, headers: raw }, (incoming) => {
      hasResponse = true
      let said = ''
      incoming.setEncoding('utf8').on('data', (piece) => {
        said += piece
      })
      const end = () => resolve({ status: incoming.statusCode, code: codeIn(said) })
      incoming.on('end', end).on('error', end)
    })
    out.on('error', (error) => {
      if (!hasResponse) reject(error)
    })
    out.end(body)
  })
}

function codeIn(text: string): unknown {
  try {
    return JSON.parse(text).error?.code
  } catch {
    return undefined // the 431 response of Node has no body
  }
}
