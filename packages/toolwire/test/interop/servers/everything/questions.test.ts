// The tools of server-everything that use elicitation, sampling or roots.

import { describe, expect, it } from 'vitest'
import type { FormAnswer } from '../../../../src/client/client.js'
import { eventually } from '../../program.js'
import { refused, textOf } from '../answers.js'
import { home, RecordingHandlers } from './recording-handlers.js'
import { offers, transports, type Visit, visit } from './visit.js'

describe.each(transports)('The questions of server-everything over %s', (transport) => {
  const handlers = new RecordingHandlers()
  const at = visit(transport, handlers.answers)
  it('belong to tools that the server adds after the handshake', () => arrive(at))
  it('trigger-elicitation-request: fills in a form', () => fillsIn(at, handlers))
  it('trigger-elicitation-request: declines and cancels', () => declines(at, handlers))
  it('trigger-url-elicitation: sends the person to a page', () => sendsToPage(at, handlers))
  it('ELIC-022 trigger-url-elicitation: shows the page of a URL elicitation error, and can be called again', () =>
    comesBack(at, handlers))
  it('trigger-sampling-request: asks the model', () => asksModel(at, handlers))
  it('trigger-sampling-request: receives the refusal of the person', () => modelDeclines(at, handlers))
  it('get-roots-list: shows folders, but none with parent references', () => showsRoots(at, handlers))
})

async function arrive({ client }: Visit): Promise<void> {
  expect(await offers(client, 'trigger-sampling-request')).toBe(true)
  const names = (await client.listTools()).map(({ name }) => name)
  const asking = ['get-roots-list', 'trigger-elicitation-request', 'trigger-url-elicitation', 'simulate-research-query']
  expect(names).toEqual(expect.arrayContaining(asking))
  // These tools need a client that runs tasks itself, which ours does not declare.
  expect(names.filter((name) => name.endsWith('-async'))).toEqual([])
}

async function fillsIn({ client }: Visit, handlers: RecordingHandlers): Promise<void> {
  const person = {
    name: 'Ada',
    check: true,
    email: 'ada@example.com',
    homepage: 'https://example.com/ada',
    birthdate: '1815-12-10',
  }
  const chosen = { untitledMultipleSelectEnum: ['Piano', 'Drums'], titledSingleSelectEnum: 'hero-2', legacyTitledEnum: 'pet-3' }
  const content = { ...person, ...chosen, integer: 7 }
  handlers.answer = { action: 'accept', content }
  const said = textOf((await client.call('trigger-elicitation-request')).content)
  expect(JSON.parse(said.slice(said.indexOf('Raw result: ') + 12))).toEqual({ action: 'accept', content })
  const form = handlers.forms.at(-1)
  expect(form?.message).toBe('Please provide inputs for the following fields:')
  expect(form?.schema).toMatchObject({ type: 'object', required: ['name'] })
  expect(form?.prefilled).toMatchObject({
    firstLine: 'It was a dark and stormy night.',
    integer: 42,
    titledMultipleSelectEnum: ['fish-1'],
  })
}

async function declines({ client }: Visit, handlers: RecordingHandlers): Promise<void> {
  handlers.answer = { action: 'decline' }
  expect(textOf((await client.call('trigger-elicitation-request')).content)).toContain('User declined')
  handlers.answer = { action: 'cancel' }
  expect(textOf((await client.call('trigger-elicitation-request')).content)).toContain('User cancelled')
}

async function sendsToPage({ client }: Visit, handlers: RecordingHandlers): Promise<void> {
  const url = 'https://example.com/login?next=%2Fhome'
  const { content } = await client.call('trigger-url-elicitation', { url, elicitationId: 'e-1' })
  expect(textOf(content)).toContain(`User completed the URL elicitation flow.\nElicitation ID: e-1\nURL: ${url}`)
  expect(handlers.pages).toEqual([url])
}

async function comesBack({ client }: Visit, handlers: RecordingHandlers): Promise<void> {
  const url = 'https://example.com/again'
  const again = () => client.call('trigger-url-elicitation', { url, errorPath: true })
  const { content } = await again().catch(again)
  expect(handlers.pages.slice(-2)).toEqual(['https://modelcontextprotocol.io/', url])
  expect(textOf(content)).toContain('User completed the URL elicitation flow.')
}

async function asksModel({ client }: Visit, handlers: RecordingHandlers): Promise<void> {
  handlers.declines = false
  const { content } = await client.call('trigger-sampling-request', { prompt: 'Capital of France?', maxTokens: 5 })
  expect(textOf(content)).toContain('"text": "Paris"')
  const asked = { type: 'text', text: expect.stringContaining('Capital of France?') }
  expect(handlers.requests.at(-1)).toMatchObject({ maxTokens: 5, messages: [{ role: 'user', content: asked }] })
}

async function modelDeclines({ client }: Visit, handlers: RecordingHandlers): Promise<void> {
  handlers.declines = true
  const { content, isError } = await client.call('trigger-sampling-request', { prompt: 'Capital of France?' })
  expect(isError).toBe(true)
  expect(textOf(content)).toContain('-1: User rejected')
}

async function showsRoots({ client, warnings }: Visit, handlers: RecordingHandlers): Promise<void> {
  const shown = async () => textOf((await client.call('get-roots-list')).content)
  expect(await shown()).toContain(`Current MCP Roots (1 total):\n\n1. home\n   URI: ${home.uri}`)
  expect(warnings).toContainEqual(expect.stringContaining('file:///home/../etc'))
  handlers.roots = [home, { uri: 'file:///home/grace', name: 'guest' }]
  client.notify('notifications/roots/list_changed')
  expect(await eventually(async () => (await shown()).includes('2. guest\n   URI: file:///home/grace'))).toBe(true)
}

describe.concurrent.each(transports)('The research of server-everything over %s', (transport) => {
  const answer: FormAnswer = { action: 'accept', content: { interpretation: 'snake' } }
  const at = visit(transport, { form: () => answer })

  it('simulate-research-query: runs as a task, asks a question, and returns its report', async () => {
    const tasks: string[] = []
    const onTask = (id: string) => tasks.push(id)
    expect(await offers(at.client, 'simulate-research-query')).toBe(true)
    const { content } = await at.client.call('simulate-research-query', { topic: 'python', ambiguous: true }, { onTask })
    expect(textOf(content)).toContain('# Research Report: python (snake)')
    expect(tasks).toHaveLength(1)
    expect((await at.client.resume(tasks[0] ?? '')).content).toEqual(content)
  })

  it('CANC-012 simulate-research-query: is cancelled as a task', async () => {
    expect(await offers(at.client, 'simulate-research-query')).toBe(true)
    const leaving = new AbortController()
    let task = ''
    const onTask = (id: string) => {
      task = id
      leaving.abort()
    }
    const call = at.client.call('simulate-research-query', { topic: 'tea' }, { onTask, signal: leaving.signal })
    await expect(call).rejects.toMatchObject({ code: 'cancelled' })
    const status = async () => (await at.client.request('tasks/get', { taskId: task })).status
    expect(await eventually(async () => (await status()) === 'cancelled')).toBe(true)
  })

  it('simulate-research-query: is refused by the server if it is not called as a task', async () => {
    expect(await refused(at.client.request('tools/call', { name: 'simulate-research-query', arguments: { topic: 'tea' } }))).toBe(
      true,
    )
  })
})
