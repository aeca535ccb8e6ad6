import { prompt, resource, type Server, server } from 'toolwire'
import { listen } from 'toolwire/node'
import { describe, expect, it } from 'vitest'
import { type CheckReport, runCheck } from '../src/index.js'
import { faulty } from './faulty.js'
import { prompting } from './server-programs.js'

const about = { name: 'small', version: '1.0.0' }
const prompts = { hello: prompt({ description: 'Says hello', run: () => 'Hello' }) }
const resources = { hours: resource({ uri: 'shop://hours', read: () => '9 to 17' }) }

const missing = ({ results }: CheckReport): string[] =>
  results.flatMap(({ id, revision, outcome, detail }) => (outcome === 'missing' ? [`${revision} ${id}: ${detail}`] : []))
const resultOf = ({ results }: CheckReport, id: string) => results.find((one) => one.id === id)

describe('A server without tools', () => {
  it.each<[string, Server]>([
    ['prompts', server({ ...about, prompts })],
    ['resources', server({ ...about, resources })],
  ])('misses nothing over HTTP if it has %s', async (_, app) => {
    const listening = await listen(app, { signals: false })
    try {
      const report = await runCheck({ url: listening.url }, { timeoutMs: 3_000 })
      expect(report.revisions).toHaveLength(5)
      expect(missing(report)).toEqual([])
      const [probed, ofTools] = ['header-method-missing', 'call-unknown-tool'].map((id) => resultOf(report, id))
      expect(probed?.outcome).toBe('enforced')
      expect(ofTools).toMatchObject({ outcome: 'not-tried', detail: 'The server has no tools' })
    } finally {
      await listening.close()
    }
  })

  it.each(['2026-07-28', '2025-11-25'])('misses nothing over stdio in %s', async (revision) => {
    const report = await runCheck(prompting, { revisions: [revision], timeoutMs: 3_000 })
    expect(missing(report)).toEqual([])
    expect(resultOf(report, 'strain-depth')?.outcome).toBe('enforced')
  })

  it('is found out if it does not survive a deeply nested message', async () => {
    await using broken = await faulty({
      say: (said, { method }) =>
        method === 'initialize' ? { ...said, result: { ...(said.result as object), capabilities: { resources: {} } } } : said,
      hear: ({ body }) =>
        body.includes('[[[[[') ? { body: Buffer.from(body.toString().replace(/\[\[+\]+\]/, '0')) } : undefined,
      instead: (_, { id = null, method }) =>
        method === 'tools/list'
          ? { text: JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }) }
          : undefined,
    })
    const report = await runCheck({ url: broken.url }, { revisions: ['2025-11-25'], only: ['strain-depth'], timeoutMs: 3_000 })
    expect(report.results).toMatchObject([{ id: 'strain-depth', outcome: 'missing', detail: 'The message was carried out' }])
  })
})
