import { describe, expect, it } from 'vitest'
import { runCheck } from '../src/index.js'
import { answering } from './server-programs.js'

const initialized = `{ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } }`
const tool = `{ name: 'read', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }`

/** Answers with these results, each an expression; a text is sent as it is. */
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
