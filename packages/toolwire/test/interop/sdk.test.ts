// The clients of the official SDKs with the fixture, over every transport and revision they support.
import { reportTo } from 'toolwire'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eachNth } from '../soak.js'
import { notes, png, wav } from './fixture.js'
import { type Leg, legs } from './legs.js'
import type { Peer } from './peer.js'
import { logLevelKey } from './peer-v2.js'
import { eventually } from './program.js'

reportTo(() => {}) // one of the tools crashes on purpose

const firstBlock = async (peer: Peer, tool: string) => (await peer.call(tool)).content[0]
const textOf = async (peer: Peer, tool: string, args = {}) => {
  const [block] = (await peer.call(tool, args)).content
  return block?.type === 'text' ? block.text : undefined
}

// The selection includes every revision and every transport.
const tried = eachNth(legs, 3)

describe.each(tried)('$name', (leg: Leg) => {
  const { expected: version, connect } = leg
  const modern = version === '2026-07-28'
  let peer: Peer
  beforeAll(async () => {
    peer = await connect()
  })
  afterAll(() => peer?.[Symbol.asyncDispose]())

  it('negotiates the version and learns the name of the server', () => {
    expect(peer.version).toBe(version)
    expect(peer.client.getServerVersion()).toMatchObject({ name: 'fixture', version: '1.2.3' })
    expect(peer.client.getInstructions()).toBe('Call echo first.')
    expect(peer.client.getServerCapabilities()).toMatchObject({ tools: { listChanged: true }, resources: { subscribe: true } })
  })

  it('lists the tools with the members of the revision', async () => {
    const tools = await peer.tools()
    const found = Object.fromEntries(tools.map((tool) => [tool.name, tool]))
    expect(found.echo?.inputSchema).toMatchObject({
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
    })
    expect(found.echo?.title).toBe(version >= '2025-06-18' ? 'Echo' : undefined)
    expect(found.add?.outputSchema !== undefined).toBe(version >= '2025-06-18')
  })

  it('calls a tool and gets text', async () => {
    expect(await textOf(peer, 'echo', { text: 'čau 👋' })).toBe('čau 👋')
  })

  it('gets structured output that the SDK accepts by its schema', async () => {
    await peer.tools() // the SDK only validates tools that it has listed
    const result = await peer.call('add', { a: 2, b: 3 })
    expect(result.structuredContent).toEqual(version >= '2025-06-18' ? { sum: 5 } : undefined)
    expect(result.content).toEqual([{ type: 'text', text: '{"sum":5}' }])
  })

  it('gets images, audio, links and resources as the revision defines them', async () => {
    expect(await firstBlock(peer, 'picture')).toEqual({ type: 'image', data: png, mimeType: 'image/png' })
    expect(await firstBlock(peer, 'sound')).toMatchObject(
      version >= '2025-03-26'
        ? { type: 'audio', data: wav, mimeType: 'audio/wav' }
        : { type: 'resource', resource: { blob: wav } },
    )
    expect(await firstBlock(peer, 'link')).toMatchObject(
      version >= '2025-06-18'
        ? { type: 'resource_link', uri: notes, name: 'today' }
        : { type: 'text', text: expect.stringContaining(notes) },
    )
    expect(await firstBlock(peer, 'note')).toMatchObject({ type: 'resource', resource: { uri: notes, text: 'buy milk' } })
  })

  it('receives an explanation of invalid arguments', async () => {
    const refused = await peer.call('echo', { text: 7 }).catch((thrown) => thrown)
    if (version >= '2025-11-25')
      expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('text') }] })
    else expect(refused).toMatchObject({ code: -32602, message: expect.stringContaining('text') })
    await expect(peer.call('no-such-tool')).rejects.toMatchObject({ code: -32602 })
  })

  it('receives the message of a tool error, and no internals', async () => {
    expect(await peer.call('fail')).toMatchObject({ isError: true, content: [{ type: 'text', text: 'The shop is closed' }] })
    const crashed = await peer.call('crash')
    expect(crashed.isError).toBe(true)
    expect(JSON.stringify(crashed)).not.toContain('hunter2')
  })

  it('receives the progress of a call', async () => {
    const seen: object[] = []
    const onprogress = (progress: object) => {
      seen.push(progress)
      // The SDK drops progress that it reads together with the result, so the result is delayed.
      void peer.call('go')
    }
    const result = await peer.call('paced', { steps: 3 }, { onprogress })
    expect(result.content).toEqual([{ type: 'text', text: 'done' }])
    expect(seen).toMatchObject([1, 2, 3].map((progress) => ({ progress, total: 3 })))
    expect(seen[0]).toEqual({ progress: 1, total: 3, ...(version >= '2025-03-26' && { message: 'step 1' }) })
  })

  it('cancels a call, and the handler is notified', async () => {
    const before = Number(await textOf(peer, 'cancellations'))
    const calling = new AbortController()
    let begin = () => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const call = peer.call('stuck', {}, { signal: calling.signal, onprogress: begin })
    await begun
    calling.abort('enough')
    await expect(call).rejects.toThrow()
    expect(await eventually(async () => Number(await textOf(peer, 'cancellations')) === before + 1)).toBe(true)
  })

  it('answers elicitations', async () => {
    if (version < '2025-06-18') {
      expect(await peer.call('ask')).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('elicitation') }] })
      return
    }
    expect(await textOf(peer, 'ask')).toBe('Hello Ada')
    expect(await textOf(peer, 'confirm')).toBe('done')
    if (version >= '2025-11-25') expect(await textOf(peer, 'visit')).toBe('true')
  })

  it('answers sampling requests and lists its roots', async () => {
    expect(await textOf(peer, 'model')).toBe('{"type":"text","text":"Paris"}')
    expect(await textOf(peer, 'roots')).toBe('file:///home/ada')
  })

  it('is notified that the list of tools has changed', async () => {
    await peer.call('grow')
    expect(await eventually(() => peer.received.tools.at(-1)?.includes('grown') ?? false)).toBe(true)
    expect(await textOf(peer, 'grown')).toBe('grown')
  })

  it('reads resources and templates', async () => {
    const { resources } = await peer.client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual([notes, 'file:///logo.png'])
    const { resourceTemplates } = await peer.client.listResourceTemplates()
    expect(resourceTemplates).toMatchObject([{ uriTemplate: 'notes://{year}/{day}', name: 'day' }])
    expect((await peer.client.readResource({ uri: notes })).contents).toMatchObject([{ uri: notes, text: 'buy milk' }])
    expect((await peer.client.readResource({ uri: 'file:///logo.png' })).contents).toMatchObject([{ blob: png }])
    expect((await peer.client.readResource({ uri: 'notes://2025/7' })).contents).toMatchObject([{ text: 'day 7 of 2025' }])
    const missing = peer.client.readResource({ uri: 'notes://1999/7' })
    await expect(missing).rejects.toThrow('Resource not found')
  })

  it('is notified that a subscribed resource has changed', async () => {
    await peer.watch(notes)
    await peer.call('touch')
    expect(await eventually(() => peer.received.updated.includes(notes))).toBe(true)
  })

  it('gets prompts and completions', async () => {
    const { prompts } = await peer.client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(['greet', 'plain'])
    const { messages } = await peer.client.getPrompt({ name: 'greet', arguments: { name: 'Ada', tone: 'cold' } })
    expect(messages).toMatchObject([{ role: 'user', content: { type: 'text', text: 'Greet Ada in a cold voice' } }])
    await expect(peer.client.getPrompt({ name: 'greet', arguments: {} })).rejects.toMatchObject({ code: -32602 })
    const names = await peer.client.complete({
      ref: { type: 'ref/prompt', name: 'greet' },
      argument: { name: 'name', value: 'A' },
    })
    expect(names.completion.values).toEqual(['Ada', 'Alan'])
    const years = await peer.client.complete({
      ref: { type: 'ref/resource', uri: 'notes://{year}/{day}' },
      argument: { name: 'year', value: '20' },
    })
    expect(years.completion.values).toEqual(['2024', '2025'])
  })

  it('receives logs of its level, and no others', async () => {
    if (!modern) await peer.client.setLoggingLevel('warning')
    await peer.call('log', {}, modern ? { meta: { [logLevelKey]: 'warning' } } : {})
    expect(await eventually(() => peer.received.logs.length > 0)).toBe(true)
    expect(peer.received.logs).toMatchObject([{ level: 'warning', logger: 'shop', data: { stock: 0 } }])
  })

  it('has received no invalid message', () => {
    expect(peer.received.errors).toEqual([])
  })
})

describe.each(tried.filter(({ name }) => !name.includes('offering') || name.includes('SSE')))('$name, in pages', ({
  connect,
}: Leg) => {
  it('reads all pages, and sees every tool once', async () => {
    await using peer = await connect({ pageSize: 2 })
    const names = (await peer.tools()).map(({ name }) => name)
    expect(names.length).toBeGreaterThan(10)
    expect(new Set(names).size).toBe(names.length)
    expect(names).toContain('touch')
  })
})
