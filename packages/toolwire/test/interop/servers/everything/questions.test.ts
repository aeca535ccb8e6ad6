// The tools of server-everything that ask: the person, the model, or for the folders behind the client.

import { describe, expect, it } from 'vitest'
import type { FormAnswer } from '../../../../src/client/client.js'
import { eventually } from '../../program.js'
import { refused, textOf } from '../answers.js'
import { Desk, home } from './desk.js'
import { offers, transports, type Visit, visit } from './visit.js'

describe.each(transports)('The questions of server-everything over %s', (transport) => {
  const desk = new Desk()
  const at = visit(transport, desk.answers)
  it('come with tools that the server adds after the handshake', () => arrive(at))
  it('trigger-elicitation-request: fills in a form', () => fillsIn(at, desk))
  it('trigger-elicitation-request: declines and cancels', () => declines(at, desk))
  it('trigger-url-elicitation: sends the person to a page', () => sendsToPage(at, desk))
  it('ELIC-022 trigger-url-elicitation: visits the page that an error asks for, and can be called again', () =>
    comesBack(at, desk))
  it('trigger-sampling-request: asks the model', () => asksModel(at, desk))
  it('trigger-sampling-request: hears that the person says no', () => modelDeclines(at, desk))
  it('get-roots-list: shows folders, and only those that stay where they are', () => showsRoots(at, desk))
})

async function arrive({ client }: Visit): Promise<void> {
  expect(await offers(client, 'trigger-sampling-request')).toBe(true)
  const names = (await client.listTools()).map(({ name }) => name)
  const asking = ['get-roots-list', 'trigger-elicitation-request', 'trigger-url-elicitation', 'simulate-research-query']
  expect(names).toEqual(expect.arrayContaining(asking))
  // These want a client that runs tasks of its own, which ours does not say it is.
  expect(names.filter((name) => name.endsWith('-async'))).toEqual([])
}

async function fillsIn({ client }: Visit, desk: Desk): Promise<void> {
  const person = {
    name: 'Ada',
    check: true,
    email: 'ada@example.com',
    homepage: 'https://example.com/ada',
    birthdate: '1815-12-10',
  }
  const chosen = { untitledMultipleSelectEnum: ['Piano', 'Drums'], titledSingleSelectEnum: 'hero-2', legacyTitledEnum: 'pet-3' }
  const content = { ...person, ...chosen, integer: 7 }
  desk.answer = { action: 'accept', content }
  const said = textOf((await client.call('trigger-elicitation-request')).content)
  expect(JSON.parse(said.slice(said.indexOf('Raw result: ') + 12))).toEqual({ action: 'accept', content })
  const form = desk.forms.at(-1)
  expect(form?.message).toBe('Please provide inputs for the following fields:')
  expect(form?.schema).toMatchObject({ type: 'object', required: ['name'] })
  expect(form?.prefilled).toMatchObject({
    firstLine: 'It was a dark and stormy night.',
    integer: 42,
    titledMultipleSelectEnum: ['fish-1'],
  })
}

async function declines({ client }: Visit, desk: Desk): Promise<void> {
  desk.answer = { action: 'decline' }
  expect(textOf((await client.call('trigger-elicitation-request')).content)).toContain('User declined')
  desk.answer = { action: 'cancel' }
  expect(textOf((await client.call('trigger-elicitation-request')).content)).toContain('User cancelled')
}

async function sendsToPage({ client }: Visit, desk: Desk): Promise<void> {
  const url = 'https://example.com/login?next=%2Fhome'
  const { content } = await client.call('trigger-url-elicitation', { url, elicitationId: 'e-1' })
  expect(textOf(content)).toContain(`User completed the URL elicitation flow.\nElicitation ID: e-1\nURL: ${url}`)
  expect(desk.pages).toEqual([url])
}

async function comesBack({ client }: Visit, desk: Desk): Promise<void> {
  const url = 'https://example.com/again'
  const again = () => client.call('trigger-url-elicitation', { url, errorPath: true })
  const { content } = await again().catch(again)
  expect(desk.pages.slice(-2)).toEqual(['https://modelcontextprotocol.io/', url])
  expect(textOf(content)).toContain('User completed the URL elicitation flow.')
}

async function asksModel({ client }: Visit, desk: Desk): Promise<void> {
  desk.declines = false
  const { content } = await client.call('trigger-sampling-request', { prompt: 'Capital of France?', maxTokens: 5 })
  expect(textOf(content)).toContain('"text": "Paris"')
  const asked = { type: 'text', text: expect.stringContaining('Capital of France?') }
  expect(desk.requests.at(-1)).toMatchObject({ maxTokens: 5, messages: [{ role: 'user', content: asked }] })
}

async function modelDeclines({ client }: Visit, desk: Desk): Promise<void> {
  desk.declines = true
  const { content, isError } = await client.call('trigger-sampling-request', { prompt: 'Capital of France?' })
  expect(isError).toBe(true)
  expect(textOf(content)).toContain('-1: User rejected')
}

async function showsRoots({ client, warnings }: Visit, desk: Desk): Promise<void> {
  const shown = async () => textOf((await client.call('get-roots-list')).content)
  expect(await shown()).toContain(`Current MCP Roots (1 total):\n\n1. home\n   URI: ${home.uri}`)
  expect(warnings).toContainEqual(expect.stringContaining('file:///home/../etc'))
  desk.roots = [home, { uri: 'file:///home/grace', name: 'guest' }]
  client.notify('notifications/roots/list_changed')
  expect(await eventually(async () => (await shown()).includes('2. guest\n   URI: file:///home/grace'))).toBe(true)
}

describe.concurrent.each(transports)('The research of server-everything over %s', (transport) => {
  const answer: FormAnswer = { action: 'accept', content: { interpretation: 'snake' } }
  const at = visit(transport, { form: () => answer })

  it('simulate-research-query: goes on as a task, asks on the way, and brings its report', async () => {
    const tasks: string[] = []
    const onTask = (id: string) => tasks.push(id)
    expect(await offers(at.client, 'simulate-research-query')).toBe(true)
    const { content } = await at.client.call('simulate-research-query', { topic: 'python', ambiguous: true }, { onTask })
    expect(textOf(content)).toContain('# Research Report: python (snake)')
    expect(tasks).toHaveLength(1)
    expect((await at.client.resume(tasks[0] ?? '')).content).toEqual(content)
  })

  it('CANC-012 simulate-research-query: is called off as a task', async () => {
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

  it('simulate-research-query: is refused by the server where it is not called as a task', async () => {
    expect(await refused(at.client.request('tools/call', { name: 'simulate-research-query', arguments: { topic: 'tea' } }))).toBe(
      true,
    )
  })
})
