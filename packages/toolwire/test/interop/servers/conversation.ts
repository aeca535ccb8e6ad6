// One conversation that a client has with any server of this folder, over any leg, in any revision.
import { RpcError } from 'toolwire'
import type { Progress } from 'toolwire/client'
import { describe, expect, it } from 'vitest'
import { expectWithin } from '../../soak.js'
import { eventually } from '../program.js'
import { refused, textOf } from './answers.js'
import { type Attended, attended } from './attended.js'
import { closed, greeting, note, notes, question } from './programs/shop.js'
import type { Leg } from './ways.js'

/** Revisions that have neither results with structure nor questions to the person. */
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
    it('has nothing to warn of, but that some changes are not announced', () => {
      expect(at.warnings.filter((text) => !text.includes('does not announce'))).toEqual([])
    })
  })
}

function calling(at: Attended): void {
  it('settles on the revision', () => {
    expect(at.client.server.revision).toBe(at.leg.revision)
  })

  it('lists tools with their schemas', async () => {
    const tools = await at.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['echo', 'add', 'fail', 'slow', 'ask', 'grow']))
    const properties = { a: { type: 'number' }, b: { type: 'number' } }
    expect(tools.find(({ name }) => name === 'add')?.inputSchema).toMatchObject({ type: 'object', properties })
  })

  it('reads what a tool says', async () => {
    const said = await at.client.call('echo', { text: 'ä 天 🎈\n' })
    expect(said).toMatchObject({ content: [{ type: 'text', text: 'ä 天 🎈\n' }] })
    expect(said.isError ?? false).toBe(false)
  })

  it('reads a result with structure, or its text where the revision has only that', async () => {
    const { content, structuredContent } = await at.client.call('add', { a: 1, b: 2 })
    expect(textOf(content)).toContain('3')
    // What is sent all the same, where the revision has none, is read.
    if (plain.has(at.leg.revision) && structuredContent === undefined) return
    expect(structuredContent).toEqual({ sum: 3 })
    expect(await at.client.tools.add?.({ a: 1, b: 2 })).toEqual({ sum: 3 })
  })

  it('tells a failure of the tool from a success', async () => {
    const failed = await at.client.call('fail')
    expect(failed.isError).toBe(true)
    expect(textOf(failed.content)).toContain(closed)
    await expect(at.client.tools.fail?.()).rejects.toThrow(closed)
  })

  it('does not call a tool that is not there, and hears from the server that it is not', async () => {
    await expect(at.client.call('nowhere')).rejects.toMatchObject({ code: 'not_offered' })
    expect(await refused(at.client.request('tools/call', { name: 'nowhere', arguments: {} }))).toBe(true)
  })

  it('does not send arguments that do not fit, and hears from the server that they do not', async () => {
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

  it('hears from the server that a resource is not there', async () => {
    await expect(at.client.readResource('notes://never')).rejects.toBeInstanceOf(RpcError)
  })

  it('reads prompts', async () => {
    expect(await at.client.listPrompts()).toContainEqual(expect.objectContaining({ name: 'greet' }))
    const { messages } = await at.client.getPrompt('greet', { name: 'Ada' })
    expect(messages).toMatchObject([{ role: 'user', content: { type: 'text', text: greeting('Ada') } }])
  })
}

function changing(at: Attended): void {
  it('hears that the tools have changed, and asks again', async () => {
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
  it('is not asked where that is not possible, and hears of it', async () => {
    expect(await refused(at.client.call('ask'))).toBe(true)
    expect(at.asked).toEqual([])
  })
}

function running(at: Attended): void {
  if (!at.leg.lacks.includes('progress')) it('hears how far a call is', () => hearsProgress(at))

  // The last of the conversation: servers that cannot be called off stay busy with this for a while.
  it('calls off a call at once, and the server where it can be told', async () => {
    const before = Number(textOf((await at.client.call('cancellations')).content))
    const leaving = new AbortController()
    const leave = () => leaving.abort()
    const stuck = at.client.call('stuck', {}, { signal: leaving.signal, onProgress: leave })
    if (at.leg.lacks.includes('progress')) setTimeout(leave, 100)
    const started = performance.now()
    await expect(stuck).rejects.toMatchObject({ code: 'cancelled' })
    expectWithin(performance.now() - started, 2_000)
    if (at.leg.lacks.includes('being cancelled')) return
    const counted = async () => Number(textOf((await at.client.call('cancellations')).content)) === before + 1
    expect(await eventually(counted)).toBe(true)
  })
}

async function hearsProgress(at: Attended): Promise<void> {
  const heard: Progress[] = []
  const result = await at.client.call('slow', { steps: 3, ms: 5 }, { onProgress: (progress) => heard.push(progress) })
  expect(textOf(result.content)).toBe('done')
  expect(heard[0]).toMatchObject({ progress: 1, total: 3 })
  expect(heard.at(-1)).toMatchObject({ progress: 3, total: 3 })
}

const names = (tools: readonly { name: string }[]): string[] => tools.map(({ name }) => name).sort()
