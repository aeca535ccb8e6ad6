// The tests that run for every server of this folder, over each leg and revision.
import { RpcError } from 'toolwire'
import type { Progress } from 'toolwire/client'
import { describe, expect, it } from 'vitest'
import { expectWithin } from '../../soak.js'
import { eventually } from '../program.js'
import { refused, textOf } from './answers.js'
import { type Attended, attended } from './attended.js'
import { closed, greeting, note, notes, question } from './programs/shop.js'
import type { Leg } from './ways.js'

/** Revisions without structured results and elicitation. */
const plain: ReadonlySet<string> = new Set(['2024-11-05', '2025-03-26'])

export function converse(legs: readonly Leg[]): void {
  describe.each(legs)('$name', (leg) => {
    const at = attended(leg)
    describe('calls', () => calling(at))
    describe('reads', () => reading(at))
    if (!leg.lacks.includes('changes')) describe('changes', () => changing(at))
    const canAsk = !plain.has(leg.revision) && !leg.lacks.includes('asking')
    describe('asks', () => (canAsk ? asking(at) : asksInVain(at)))
    describe('runs', () => running(at))
    it('has no warnings except about unannounced changes', () => {
      expect(at.warnings.filter((text) => !text.includes('does not announce'))).toEqual([])
    })
  })
}

function calling(at: Attended): void {
  it('negotiates the revision', () => {
    expect(at.client.server.revision).toBe(at.leg.revision)
  })

  it('lists tools with their schemas', async () => {
    const tools = await at.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['echo', 'add', 'fail', 'slow', 'ask', 'grow']))
    const properties = { a: { type: 'number' }, b: { type: 'number' } }
    expect(tools.find(({ name }) => name === 'add')?.inputSchema).toMatchObject({ type: 'object', properties })
  })

  it('reads the text of a tool', async () => {
    const said = await at.client.call('echo', { text: 'ä 天 🎈\n' })
    expect(said).toMatchObject({ content: [{ type: 'text', text: 'ä 天 🎈\n' }] })
    expect(said.isError ?? false).toBe(false)
  })

  it('reads a structured result, or its text if the revision has only text', async () => {
    const { content, structuredContent } = await at.client.call('add', { a: 1, b: 2 })
    expect(textOf(content)).toContain('3')
    // A server may send a structured result in a revision without them; the client reads it.
    if (plain.has(at.leg.revision) && structuredContent === undefined) return
    expect(structuredContent).toEqual({ sum: 3 })
    expect(await at.client.tools.add?.({ a: 1, b: 2 })).toEqual({ sum: 3 })
  })

  it('distinguishes a tool error from a success', async () => {
    const failed = await at.client.call('fail')
    expect(failed.isError).toBe(true)
    expect(textOf(failed.content)).toContain(closed)
    await expect(at.client.tools.fail?.()).rejects.toThrow(closed)
  })

  it('refuses to call an unlisted tool, and the server reports it as unknown', async () => {
    await expect(at.client.call('nowhere')).rejects.toMatchObject({ code: 'not_offered' })
    expect(await refused(at.client.request('tools/call', { name: 'nowhere', arguments: {} }))).toBe(true)
  })

  it('refuses to send invalid arguments, and the server reports them as invalid', async () => {
    await expect(at.client.call('echo', { text: 1 })).rejects.toMatchObject({ name: 'InvalidArguments', foundBy: 'client' })
    expect(await refused(at.client.request('tools/call', { name: 'echo', arguments: { text: 1 } }))).toBe(true)
    expect(textOf((await at.client.call('echo', { text: 'still here' })).content)).toBe('still here')
  })
}

function reading(at: Attended): void {
  it('reads resources', async () => {
    expect(await at.client.listResources()).toContainEqual(expect.objectContaining({ uri: notes, name: 'today' }))
    expect(await at.client.readResource(notes)).toMatchObject([{ uri: notes, text: note }])
  })

  it('receives an error for a missing resource', async () => {
    await expect(at.client.readResource('notes://never')).rejects.toBeInstanceOf(RpcError)
  })

  it('reads prompts', async () => {
    expect(await at.client.listPrompts()).toContainEqual(expect.objectContaining({ name: 'greet' }))
    const { messages } = await at.client.getPrompt('greet', { name: 'Ada' })
    expect(messages).toMatchObject([{ role: 'user', content: { type: 'text', text: greeting('Ada') } }])
  })
}

function changing(at: Attended): void {
  it('is notified that the tools have changed, and lists them again', async () => {
    const before = names(await at.client.listTools())
    await at.client.call('grow')
    expect(await eventually(() => at.changes.some(({ kind }) => kind === 'tools'))).toBe(true)
    expect(names(await at.client.listTools())).not.toEqual(before)
  })
}

function asking(at: Attended): void {
  it('answers a form', async () => {
    expect(await at.client.call('ask')).toMatchObject({ content: [{ type: 'text', text: 'Hello Ada' }] })
    expect(at.asked).toEqual([question])
  })

  it('declines a form', async () => {
    at.answer = { action: 'decline' }
    const declined = await at.client.call('ask')
    expect(textOf(declined.content)).not.toContain('Hello')
    expect(at.asked).toEqual([question, question])
  })
}

function asksInVain(at: Attended): void {
  it('receives an error if the server cannot ask', async () => {
    expect(await refused(at.client.call('ask'))).toBe(true)
    expect(at.asked).toEqual([])
  })
}

function running(at: Attended): void {
  if (!at.leg.lacks.includes('progress')) it('hears how far a call is', () => hearsProgress(at))

  // This test comes last, because servers without cancellation stay busy for a while.
  it('cancels a call at once, and notifies the server if possible', async () => {
    const counts = async () =>
      textOf((await at.client.call('cancellations')).content)
        .split(' of ')
        .map(Number)
    const [before = 0, begun = 0] = await counts()
    const controller = new AbortController()
    const abort = () => controller.abort()
    const stuck = at.client.call('stuck', {}, { signal: controller.signal, onProgress: abort })
    if (at.leg.lacks.includes('progress')) void eventually(async () => ((await counts())[1] ?? 0) > begun).then(abort)
    const started = performance.now()
    await expect(stuck).rejects.toMatchObject({ code: 'cancelled' })
    expectWithin(performance.now() - started, 2_000)
    if (at.leg.lacks.includes('being cancelled')) return
    const counted = async () => (await counts())[0] === before + 1
    expect(await eventually(counted)).toBe(true)
  })
}

async function hearsProgress(at: Attended): Promise<void> {
  const reports: Progress[] = []
  const result = await at.client.call('slow', { steps: 3, ms: 5 }, { onProgress: (progress) => reports.push(progress) })
  expect(textOf(result.content)).toBe('done')
  expect(reports[0]).toMatchObject({ progress: 1, total: 3 })
  expect(reports.at(-1)).toMatchObject({ progress: 3, total: 3 })
}

const names = (tools: readonly { name: string }[]): string[] => tools.map(({ name }) => name).sort()
