import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCheck } from '../src/index.js'
import { answering, script } from './server-programs.js'

const initialized = `{ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } }`
const tool = `{ name: 'read', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }`

/** A server with these results, each given as an expression. A string is sent unchanged. */
const serving = (results: Record<string, string>) =>
  answering(`({ id, method }) => {
    if (id === undefined) return undefined
    const results = { initialize: ${initialized}, 'tools/list': { tools: [${tool}] }, 'tools/call': { content: [] }, ping: {} }
    const odd = { ${Object.entries(results).map(([method, result]) => `'${method}': ${result}`)} }
    const result = JSON.stringify(results[method])
    return \`{"jsonrpc":"2.0","id":\${JSON.stringify(id)},"result":\${odd[method] ?? result ?? '{}'}}\`
  }`)

const deep = `'{"content":[],"_meta":{"x":' + '['.repeat(20_000) + ']'.repeat(20_000) + '}}'`

describe('A report survives', () => {
  it.each<[string, Record<string, string>]>([
    [
      'a server whose name is an object with a member toString',
      { initialize: `JSON.stringify({ ...${initialized}, serverInfo: { name: { toString: 1 }, version: '1' } })` },
    ],
    ['a tool whose name is such an object', { 'tools/list': `'{"tools":[{"name":{"toString":1},"inputSchema":{}}]}'` }],
    ['a result that is nested 20,000 deep', { 'tools/call': deep }],
    ['a list of tools with a member that is nested 20,000 deep', { 'tools/list': deep }],
  ])('%s', async (_, results) => {
    const report = await runCheck(serving(results), { revisions: ['2025-11-25'], timeoutMs: 1_000 })
    expect(report.connected).toBe(true)
    expect(report.results.length).toBeGreaterThan(40)
  })
})

/** Starts once for each of two revisions. Exits after the list of its tools, while the other revision still waits for a response. */
const startsTwice = (counter: string) =>
  script(`
    import { appendFileSync, readFileSync } from 'node:fs'
    import { createInterface } from 'node:readline'
    appendFileSync(${JSON.stringify(counter)}, 'x')
    if (readFileSync(${JSON.stringify(counter)}).length > 2) process.exit(3)
    const about = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'brief', version: '1' } }
    for await (const line of createInterface({ input: process.stdin })) {
      const { id, method } = JSON.parse(line)
      const result = { initialize: about, 'tools/list': { tools: [] } }[method]
      const error = { code: -32601, message: 'Unknown method' }
      if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }) + '\\n')
      if (method === 'tools/list') setTimeout(() => process.exit(0), 50)
    }`)

describe('The name of a server', () => {
  it('is the one that it sent first, even if the server has exited since', async () => {
    const counter = join(await mkdtemp(join(tmpdir(), 'check-')), 'starts')
    const revisions = ['2026-07-28', '2025-11-25']
    const report = await runCheck(startsTwice(counter), { revisions, only: ['open-result'], timeoutMs: 500 })
    expect(report).toMatchObject({ connected: true, server: { name: 'brief', version: '1' } })
  })
})
