// The features of server-everything besides tools: resources, prompts, completions, logs and subscriptions.
import { RpcError } from 'toolwire'
import { ResourceMissing } from 'toolwire/client'
import { describe, expect, it } from 'vitest'
import { eventually } from '../../program.js'
import { bytesOf, transports, type Visit, visit } from './visit.js'

const documents = 'demo://resource/static/document'
const text = (id: number) => `demo://resource/dynamic/text/${id}`

describe.each(transports)('What server-everything offers to read over %s', (transport) => {
  const at = visit(transport)
  it('introduces itself', () => introduces(at))
  it('lists and reads documents', () => readsDocuments(at))
  it('fills in templates', () => fillsTemplates(at))
  it('reports a missing resource', () => misses(at))
  it('lists prompts and gets them', () => getsPrompts(at))
  it('completes arguments of prompts and of templates', () => completes(at))
  it('toggle-simulated-logging: logs', () => logs(at))
  it('logs from the requested level', () => logsFromLevel(at))
  it('toggle-subscriber-updates: announces changes of subscribed resources until they are unsubscribed', () => tells(at))
})

function introduces({ client }: Visit): void {
  const { name, title, revision, capabilities } = client.server
  expect({ name, title, revision }).toEqual({
    name: 'mcp-servers/everything',
    title: 'Everything Reference Server',
    revision: '2025-11-25',
  })
  expect(capabilities).toMatchObject({ tools: {}, resources: { subscribe: true }, prompts: {}, logging: {} })
}

async function readsDocuments({ client }: Visit): Promise<void> {
  const uris = (await client.listResources()).map(({ uri }) => uri)
  const names = ['architecture', 'extension', 'features', 'how-it-works', 'instructions', 'startup', 'structure']
  expect(uris).toEqual(expect.arrayContaining(names.map((name) => `${documents}/${name}.md`)))
  const [instructions] = await client.readResource(`${documents}/instructions.md`)
  expect(instructions).toMatchObject({ mimeType: 'text/markdown', text: client.server.instructions })
}

async function fillsTemplates({ client }: Visit): Promise<void> {
  const templates = (await client.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate)
  expect(templates).toEqual(['demo://resource/dynamic/text/{resourceId}', 'demo://resource/dynamic/blob/{resourceId}'])
  const [blob] = await client.readResource('demo://resource/dynamic/blob/12')
  expect(bytesOf(blob).toString()).toContain('Resource 12: This is a base64 blob')
}

async function misses({ client }: Visit): Promise<void> {
  await expect(client.readResource('demo://nowhere')).rejects.toBeInstanceOf(ResourceMissing)
}

async function getsPrompts({ client }: Visit): Promise<void> {
  const prompts = await client.listPrompts()
  expect(prompts.map(({ name }) => name)).toEqual(['simple-prompt', 'args-prompt', 'completable-prompt', 'resource-prompt'])
  const weather = await client.getPrompt('args-prompt', { city: 'Portland', state: 'Oregon' })
  expect(weather).toMatchObject({ messages: [{ role: 'user', content: { text: "What's weather in Portland, Oregon?" } }] })
  await expect(client.getPrompt('args-prompt', {})).rejects.toBeInstanceOf(RpcError)
  const { messages } = await client.getPrompt('resource-prompt', { resourceType: 'Text', resourceId: '3' })
  expect(messages).toMatchObject([{ content: { type: 'text' } }, { content: { type: 'resource', resource: { uri: text(3) } } }])
}

async function completes({ client }: Visit): Promise<void> {
  const prompt = { type: 'ref/prompt', name: 'completable-prompt' } as const
  expect(await client.complete(prompt, { name: 'department', value: 'S' })).toMatchObject({ values: ['Sales', 'Support'] })
  const context = { department: 'Engineering' }
  expect(await client.complete(prompt, { name: 'name', value: 'A' }, { context })).toMatchObject({ values: ['Alice'] })
  const template = { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' } as const
  expect(await client.complete(template, { name: 'resourceId', value: '3' })).toMatchObject({ values: ['3'] })
}

/** The toggled feature sends one message at once and then one every five seconds. The stream for it may open later, so this polls. */
const toggledUntil = (at: Visit, tool: string, isReceived: () => boolean): Promise<boolean> =>
  eventually(async () => {
    await at.client.call(tool)
    const found = await eventually(isReceived, 200)
    await at.client.call(tool)
    return found
  })

async function logs(at: Visit): Promise<void> {
  await at.client.setLogLevel('debug')
  const simulated = { level: expect.any(String), data: expect.stringMatching(/^\w+[- ]level[- ]message/) }
  const isLogged = () => at.logs.some((entry) => expect.objectContaining(simulated).asymmetricMatch(entry))
  expect(await toggledUntil(at, 'toggle-simulated-logging', isLogged)).toBe(true)
}

/** The server logs each subscription at level `info`. */
async function logsFromLevel(at: Visit): Promise<void> {
  const isLogged = (id: number) => JSON.stringify(at.logs).includes(`${text(id)} `)
  await at.client.setLogLevel('error')
  await (await at.client.watch(text(4)))()
  await at.client.setLogLevel('info')
  await (await at.client.watch(text(5)))()
  expect(await eventually(() => isLogged(5))).toBe(true)
  expect(isLogged(4)).toBe(false)
}

async function tells(at: Visit): Promise<void> {
  const updatesOf = (uri: string) => at.changes.filter((change) => change.kind === 'resource' && change.uri === uri).length
  const unwatch = await at.client.watch(text(1))
  expect(await toggledUntil(at, 'toggle-subscriber-updates', () => updatesOf(text(1)) > 0)).toBe(true)
  await unwatch()
  const before = updatesOf(text(1))
  const other = await at.client.watch(text(2))
  expect(await toggledUntil(at, 'toggle-subscriber-updates', () => updatesOf(text(2)) > 0)).toBe(true)
  expect(updatesOf(text(1))).toBe(before)
  await other()
}
