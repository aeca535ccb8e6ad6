import { prompt, resource, type Server, server } from 'toolwire'
import { listen } from 'toolwire/node'
import { describe, expect, it } from 'vitest'
import { type CheckReport, runCheck } from '../src/index.js'
import { faulty } from './faulty.js'
import { answering, prompting } from './server-programs.js'

const about = { name: 'small', version: '1.0.0' }
const prompts = { hello: prompt({ description: 'Says hello', run: () => 'Hello' }) }
const resources = { hours: resource({ uri: 'shop://hours', read: () => '9 to 17' }) }

const missing = ({ results }: CheckReport): string[] =>
  results.flatMap(({ id, revision, outcome, detail }) => (outcome === 'missing' ? [`${revision} ${id}: ${detail}`] : []))
const resultOf = ({ results }: CheckReport, id: string) => results.find((one) => one.id === id)

/** A program with these capabilities and with these results by method, both given as source text. */
const bare = (capabilities: string, more: string) =>
  answering(`({ id, method }) => {
    if (id === undefined) return undefined
    const serverInfo = { name: 'bare', version: '1' }
    const about = { capabilities: ${capabilities}, supportedVersions: ['2026-07-28'] }
    const _meta = { 'io.modelcontextprotocol/serverInfo': serverInfo }
    const results = {
      initialize: { ...about, serverInfo, protocolVersion: '2025-11-25' },
      'server/discover': { ...about, _meta, resultType: 'complete' },
      ping: {},
      ...${more},
    }
    const result = results[method]
    return JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error: { code: -32601, message: 'No' } }) })
  }`)

describe('A server without tools', () => {
  it.each<[string, Server]>([
    ['prompts', server({ ...about, prompts })],
    ['resources', server({ ...about, resources })],
  ])('passes every check over HTTP if it has %s', async (_, app) => {
    const listening = await listen(app, { signals: false })
    try {
      const report = await runCheck({ url: listening.url }, { timeoutMs: 10_000 })
      expect(report.revisions).toHaveLength(5)
      expect(missing(report)).toEqual([])
      const [probed, ofTools] = ['header-method-missing', 'call-unknown-tool'].map((id) => resultOf(report, id))
      expect(probed?.outcome).toBe('enforced')
      expect(ofTools).toMatchObject({ outcome: 'not-tried', detail: 'The server has no tools' })
    } finally {
      await listening.close()
    }
  })

  it.each(['2026-07-28', '2025-11-25'])('passes every check over stdio in %s', async (revision) => {
    const report = await runCheck(prompting, { revisions: [revision], timeoutMs: 10_000 })
    expect(missing(report)).toEqual([])
    expect(resultOf(report, 'strain-depth')?.outcome).toBe('enforced')
  })

  it.each(['2026-07-28', '2025-11-25'])('may have no feature at all in %s', async (revision) => {
    const only = ['base-id-echoed', 'base-answers-each', 'cancel-late', 'meta-server-named', 'page-', 'list-']
    const report = await runCheck(bare('{}', '{}'), { revisions: [revision], only, timeoutMs: 10_000 })
    expect(missing(report)).toEqual([])
    expect(resultOf(report, 'base-id-echoed')?.outcome).toBe('enforced')
    expect(resultOf(report, 'page-unknown-cursor')?.detail).toBe('The server has no lists')
  })

  it('fails a check if it does not survive a deeply nested message', async () => {
    await using broken = await faulty({
      changeMessage: (reply, { method }) =>
        method === 'initialize' ? { ...reply, result: { ...(reply.result as object), capabilities: { resources: {} } } } : reply,
      changeRequest: ({ body }) =>
        body.includes('[[[[[') ? { body: Buffer.from(body.toString().replace(/\[\[+\]+\]/, '0')) } : undefined,
      instead: (_, { id = null, method }) =>
        method === 'tools/list'
          ? { text: JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }) }
          : undefined,
    })
    const report = await runCheck({ url: broken.url }, { revisions: ['2025-11-25'], only: ['strain-depth'], timeoutMs: 10_000 })
    expect(report.results).toMatchObject([{ id: 'strain-depth', outcome: 'missing', detail: 'The message was carried out' }])
  })

  it.each([
    ['2025-11-25', 'enforced'],
    ['2026-07-28', 'missing'],
  ])('may answer tools/list with an empty list in %s: %s', async (revision, wanted) => {
    const emptyList = bare('{}', `{ 'tools/list': { tools: [], resultType: 'complete' } }`)
    const report = await runCheck(emptyList, { revisions: [revision], only: ['open-tools-declared'], timeoutMs: 5_000 })
    expect(report.results).toMatchObject([{ id: 'open-tools-declared', outcome: wanted }])
  })
})
