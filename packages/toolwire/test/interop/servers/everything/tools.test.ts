// Each tool of server-everything that only returns a result.
import { gunzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { eventually } from '../../program.js'
import { refused, textOf } from '../answers.js'
import { bytesOf, given, offers, transports, type Visit, visit } from './visit.js'

const secret = 'SECRET_OF_THIS_PROCESS'
process.env[secret] = 'hunter2'
afterAll(() => void delete process.env[secret])

describe.concurrent.each(transports)('The tools of server-everything over %s', (transport) => {
  const at = visit(transport)
  it('echo', () => echoes(at))
  it('get-sum', () => adds(at))
  it('get-env: shows the safe and the configured variables, and no secret', () => showsEnvironment(at))
  it('get-tiny-image', () => showsImage(at))
  it('get-annotated-message', () => annotates(at))
  it('get-structured-content', () => structures(at))
  it('RESULT-008 get-resource-links: reads a linked resource although it is not listed', () => links(at))
  it('get-resource-reference', () => refers(at))
  it('gzip-file-as-resource', () => zips(at))
  it('trigger-long-running-operation: is cancelled', () => callsOff(at))
  it('trigger-long-running-operation', () => runsLong(at))
  it('has no other tools for a client without answers', async () => {
    expect(await offers(at.client, 'simulate-research-query')).toBe(true)
    const names = (await at.client.listTools()).map(({ name }) => name)
    expect(names).toHaveLength(13)
    expect(names).not.toContain('trigger-sampling-request')
  })
})

describe.each([false, true])('The hints of server-everything, trusted: %s', (trusted) => {
  const at = visit('stdio', {}, { trusted })
  it('are used only if it is trusted', async () => {
    const echo = (await at.client.listTools()).find(({ name }) => name === 'echo')
    const worst = { readOnly: false, destructive: true, idempotent: false, openWorld: true }
    expect(echo?.claims).toEqual({ readOnly: true, destructive: false, idempotent: true, openWorld: false })
    expect(echo?.hints).toEqual(trusted ? echo?.claims : worst)
  })
})

async function echoes({ client }: Visit): Promise<void> {
  expect(await client.call('echo', { message: 'ä 天' })).toMatchObject({ content: [{ type: 'text', text: 'Echo: ä 天' }] })
}

async function adds({ client }: Visit): Promise<void> {
  const { content } = await client.call('get-sum', { a: 0.5, b: -2 })
  expect(textOf(content)).toBe('The sum of 0.5 and -2 is -1.5.')
  expect(await refused(client.call('get-sum', { a: 1 }))).toBe(true)
}

async function showsEnvironment({ client, transport }: Visit): Promise<void> {
  const variables = JSON.parse(textOf((await client.call('get-env')).content))
  expect(variables).toMatchObject(given)
  expect(variables).not.toHaveProperty(secret)
  if (transport !== 'stdio') return
  const safe = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', ...Object.keys(given)]
  expect(safe).toEqual(expect.arrayContaining(Object.keys(variables)))
}

async function showsImage({ client }: Visit): Promise<void> {
  const { content } = await client.call('get-tiny-image')
  const image = content.find((block) => block.type === 'image')
  expect(image?.mimeType).toBe('image/png')
  const bytes = Buffer.from(image?.data ?? '', 'base64')
  expect(bytes.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a')
  expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([20, 20])
}

async function annotates({ client }: Visit): Promise<void> {
  const failure = await client.call('get-annotated-message', { messageType: 'error', includeImage: true })
  expect(failure.content).toMatchObject([
    { type: 'text', annotations: { priority: 1, audience: ['user', 'assistant'] } },
    { type: 'image', annotations: { priority: 0.5, audience: ['user'] } },
  ])
  const debug = await client.call('get-annotated-message', { messageType: 'debug' })
  expect(debug.content).toMatchObject([{ type: 'text', annotations: { priority: 0.3, audience: ['assistant'] } }])
}

async function structures({ client }: Visit): Promise<void> {
  const { structuredContent } = await client.call('get-structured-content', { location: 'Chicago' })
  expect(structuredContent).toEqual({ temperature: 36, conditions: 'Light rain / drizzle', humidity: 82 })
  expect(await refused(client.call('get-structured-content', { location: 'Atlantis' }))).toBe(true)
}

async function links({ client }: Visit): Promise<void> {
  const { content } = await client.call('get-resource-links', { count: 4 })
  const uris = content.flatMap((block) => (block.type === 'resource_link' ? [block.uri] : []))
  const dynamic = 'demo://resource/dynamic'
  expect(uris).toEqual([`${dynamic}/blob/1`, `${dynamic}/text/2`, `${dynamic}/blob/3`, `${dynamic}/text/4`])
  const [text] = await client.readResource(uris[1] ?? '')
  expect(text).toMatchObject({ uri: uris[1], text: expect.stringContaining('Resource 2: This is a plaintext resource') })
  expect((await client.listResources()).map(({ uri }) => uri)).not.toContain(uris[1])
}

async function refers({ client }: Visit): Promise<void> {
  const { content } = await client.call('get-resource-reference', { resourceType: 'Blob', resourceId: 7 })
  const [resource] = content.flatMap((block) => (block.type === 'resource' ? [block.resource] : []))
  expect(resource?.uri).toBe('demo://resource/dynamic/blob/7')
  expect(bytesOf(resource).toString()).toContain('Resource 7: This is a base64 blob')
  const wrong = await client.call('get-resource-reference', { resourceId: -1 })
  expect(wrong.isError).toBe(true)
  expect(textOf(wrong.content)).toContain('Invalid resourceId: -1')
}

async function zips(at: Visit): Promise<void> {
  const data = 'data:text/plain,hello'
  const inside = await at.client.call('gzip-file-as-resource', { name: 'inside.gz', data, outputType: 'resource' })
  const [resource] = inside.content.flatMap((block) => (block.type === 'resource' ? [block.resource] : []))
  expect(gunzipSync(bytesOf(resource)).toString()).toBe('hello')
  const { content } = await at.client.call('gzip-file-as-resource', { name: 'linked.gz', data, outputType: 'resourceLink' })
  const uri = 'demo://resource/session/linked.gz'
  expect(content).toMatchObject([{ type: 'resource_link', uri, mimeType: 'application/gzip' }])
  const [linked] = await at.client.readResource(uri)
  expect(gunzipSync(bytesOf(linked)).toString()).toBe('hello')
  expect(await eventually(() => at.changes.some(({ kind }) => kind === 'resources'))).toBe(true)
  expect(await at.client.listResources()).toContainEqual(expect.objectContaining({ uri }))
}

async function runsLong({ client }: Visit): Promise<void> {
  const progressValues: number[] = []
  // Longer than the idle timeout, so that only progress keeps the call alive.
  const options = { idleMs: 4_000, onProgress: ({ progress }: { progress: number }) => progressValues.push(progress) }
  const { content } = await client.call('trigger-long-running-operation', { duration: 5, steps: 4 }, options)
  expect(textOf(content)).toBe('Long running operation completed. Duration: 5 seconds, Steps: 4.')
  expect(progressValues).toEqual([1, 2, 3, 4])
}

async function callsOff({ client }: Visit): Promise<void> {
  // The server finishes the operation even after a cancellation, and cannot exit before, so the operation is short.
  const leaving = new AbortController()
  const onProgress = () => leaving.abort()
  const call = client.call('trigger-long-running-operation', { duration: 3, steps: 60 }, { signal: leaving.signal, onProgress })
  await expect(call).rejects.toMatchObject({ code: 'cancelled' })
  expect(textOf((await client.call('echo', { message: 'again' })).content)).toBe('Echo: again')
}
