// Servers and clients of other authors: several npm packages behind one endpoint, with every client.
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listen } from 'toolwire/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eachNth } from '../../../toolwire/test/soak.js'
import { AggregateServer } from '../../src/catalog/aggregate-server.js'
import { exposedName } from '../../src/catalog/names/exposed-name.js'
import { here } from '../support/requirements.js'
import { words } from '../support/upstream-fixture.js'
import { type Caller, ours, sdkV1, sdkV2 } from './callers.js'
import { lineUp, scratch } from './real-upstreams.js'

const folder = scratch()
const upstreams = lineUp(folder)
let url: string
let close: () => Promise<void>

beforeAll(async () => {
  const offer = new AggregateServer({ upstreams, server: { name: 'gateway', version: '1.0.0' } })
  await offer.open()
  const listening = await listen(offer.server, { signals: false })
  url = listening.url
  close = async () => {
    offer.close()
    await listening.close()
    await Promise.all(upstreams.map((one) => one.close()))
  }
})
afterAll(() => close())

const callers: [string, (at: string) => Promise<Caller>][] = [
  ['our client, 2026-07-28', (at) => ours(at, '2026-07-28')],
  ['our client, 2025-11-25', (at) => ours(at, '2025-11-25')],
  ['our client, 2025-06-18', (at) => ours(at, '2025-06-18')],
  ['the official client, v1', sdkV1],
  ['the official client, v2', sdkV2],
]

describe('all servers behind one gateway', () => {
  it('are open, and all their tools are offered', async () => {
    expect(upstreams.map(({ id, status }) => [id, status.state])).toEqual(upstreams.map(({ id }) => [id, 'ready']))
    const names = await (await ours(url)).tools()
    for (const upstream of upstreams) {
      const own = (await upstream.use((direct) => direct.listTools({ fresh: true }))).map(({ name }) => name)
      expect(own.length).toBeGreaterThan(0)
      expect(names).toEqual(expect.arrayContaining(own.map((name) => exposedName(upstream.id, name))))
    }
  })

  it.each(callers)('have the same list for %s', async (_, open) => {
    expect(await (await open(url)).tools()).toEqual(await (await ours(url)).tools())
  })

  it.each(callers)('run the calls of %s', async (_, open) => {
    const one = await open(url)
    const answerOf = async (name: string, args = {}) => {
      const result = await one.call(name, args)
      expect(result.isError ?? false, words(result)).toBe(false)
      return words(result)
    }
    const path = join(folder, 'note.txt')
    await answerOf('files__write_file', { path, content: `of ${_}` })
    expect(readFileSync(path, 'utf8')).toBe(`of ${_}`)
    expect(await answerOf('files__read_text_file', { path })).toBe(`of ${_}`)
    await answerOf('memory__create_entities', { entities: [{ name: _, entityType: 'client', observations: ['calls'] }] })
    expect(await answerOf('memory__search_nodes', { query: _ })).toContain(_)
    const thought = { thought: 'First', thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false }
    expect(await answerOf('thinking__sequentialthinking', thought)).toContain('"thoughtNumber": 1')
    expect(await answerOf('everything__get-sum', { a: 2, b: 3 })).toContain('5')
    for (const id of ['fastmcp', 'v1', 'v2']) expect(await answerOf(`${id}__add`, { a: 2, b: 3 })).toBe('5')
  })

  it.each(callers)('GW-001 report progress to %s', async (_, open) => {
    const one = await open(url)
    const steps: number[] = []
    const args = { duration: 1, steps: 4 }
    await one.call('everything__trigger-long-running-operation', args, (step) => steps.push(step))
    expect(steps.at(-1)).toBe(4)
    expect(steps).toEqual([...steps].sort((step, next) => step - next))
  })

  it.each(callers)('GW-003 GW-004 ask the person and the model of %s', async (name, open) => {
    const one = await open(url)
    // The form has a multiple choice, which only the next revision supports.
    const answer = name.includes('2025-06-18') ? 'cannot be asked for several choices at once' : 'Ada'
    expect(words(await one.call('everything__trigger-elicitation-request'))).toContain(answer)
    expect(words(await one.call('everything__trigger-sampling-request', { prompt: 'How many?' }))).toContain('forty-two')
    for (const id of ['v1', 'v2']) expect(words(await one.call(`${id}__ask`))).toBe('Hello Ada')
  })

  it.each(callers)('return resources and prompts to %s', async (_, open) => {
    const one = await open(url)
    expect(JSON.stringify(await one.read('demo://resource/dynamic/text/1'))).toContain('Resource 1')
    expect(await one.prompt('everything__args-prompt', { city: 'Rome' })).toMatchObject({
      messages: [{ content: { text: expect.stringContaining('Rome') } }],
    })
  })

  it('GW-001 get separate answers for callers that ask at the same time', async () => {
    const all = await Promise.all(callers.map(async ([, open]) => open(url)))
    const sums = all.flatMap((one, a) =>
      ['everything__get-sum', 'fastmcp__add', 'v1__add', 'v2__add'].map((name) => ({ one, name, a })),
    )
    const answers = await Promise.all(sums.map(({ one, name, a }) => one.call(name, { a, b: 100 })))
    expect(answers.map((answer, at) => words(answer).includes(String(100 + sums[at]!.a)))).toEqual(sums.map(() => true))
  })
})

const apart = fileURLToPath(new URL('../../../../conformance/node22/node_modules/', import.meta.url))
const node = join(apart, 'node/bin/node')
const launcher = join(apart, '@modelcontextprotocol/inspector/clients/launcher/build/index.js')

// The inspector needs a newer Node than Toolwire, and is installed separately: npm ci --prefix conformance/node22
describe
  .runIf(here('the inspector, and a Node that runs it', () => existsSync(node) && existsSync(launcher)))
  .each(eachNth(['legacy', 'modern'], 2))('the inspector, %s', (era) => {
  const inspect = (...more: string[]): Promise<{ result: Record<string, unknown> }> =>
    new Promise((resolve, reject) => {
      const target = ['--cli', url, '--transport', 'http', '--protocol-era', era, '--format', 'json']
      const env = { ...process.env, HOME: folder }
      execFile(node, [launcher, ...target, ...more], { env, timeout: 200_000, maxBuffer: 10_000_000 }, (_, stdout, stderr) => {
        if (stdout === '') return reject(new Error(`The inspector said nothing: ${stderr}`))
        resolve(JSON.parse(stdout))
      })
    })

  it('lists and calls the tools', async () => {
    const { result } = await inspect('--method', 'tools/list')
    const names = (result.tools as { name: string }[]).map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['memory__read_graph', 'fastmcp__add', 'v1__add', 'v2__add']))
    const call = ['--method', 'tools/call', '--tool-name', 'v1__add', '--tool-args-json', '{"a":1,"b":2}']
    expect(await inspect(...call)).toMatchObject({ result: { content: [{ text: '3' }] } })
  })
})
