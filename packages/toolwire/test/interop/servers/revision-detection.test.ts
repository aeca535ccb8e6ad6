// Detecting, remembering and correcting the revision style of real servers.

import { connect, memoryRevisions, ResourceMissing } from 'toolwire/client'
import { listen } from 'toolwire/node'
import { afterAll, describe, expect, it } from 'vitest'
import { freePort } from '../../free-port.js'
import { fixture } from '../fixture.js'
import { served } from '../legs.js'
import { textOf } from './answers.js'
import { programOf, type Running, running } from './launch.js'
import { type Tap, tap } from './tap.js'

const processes = new Map<string, Promise<Running>>()
afterAll(async () => {
  for (const process of processes.values()) await (await process)[Symbol.asyncDispose]()
})

/** The URL of a program, which is started once. */
async function address(name: string, mode = 'http', path = '/mcp'): Promise<string> {
  const key = `${name} ${mode}`
  const process = processes.get(key) ?? programOf(name, mode).then((program) => running(program))
  processes.set(key, process)
  return `http://127.0.0.1:${(await process).port}${path}`
}

describe('The era of a server', () => {
  it('is detected once, and remembered for the next connection', async () => {
    const verdicts = memoryRevisions()
    const sent = async (url: string) => {
      const wire = tap()
      await using client = await connect(url, { verdicts, fetch: wire.fetch })
      await client.call('echo', { text: 'hi' })
      return wire.sent.filter((line) => line === 'POST server/discover' || line === 'POST initialize')
    }
    const [older, newer] = [await address('sdk-v1'), await address('sdk-v2')]
    expect(await sent(older)).toEqual(['POST server/discover', 'POST initialize'])
    expect(await sent(older)).toEqual(['POST initialize'])
    expect(await sent(newer)).toEqual(['POST server/discover'])
    expect(await sent(newer)).toEqual([])
  })

  it('VER-007 is detected again after the server was replaced by one of another era', async () => {
    const port = await freePort()
    const verdicts = memoryRevisions()
    const revisionWith = async (revisions: ['2026-07-28'] | ['2025-11-25']) => {
      const server = await listen(fixture({ revisions }), { port, signals: false })
      const wire = tap()
      await using client = await connect(server.url, { verdicts, fetch: wire.fetch })
      expect(textOf((await client.call('echo', { text: 'hi' })).content)).toBe('hi')
      await server.close()
      return { revision: client.server.revision, probes: wire.sent.includes('POST server/discover') }
    }
    expect(await revisionWith(['2026-07-28'])).toEqual({ revision: '2026-07-28', probes: true })
    expect(await revisionWith(['2026-07-28'])).toEqual({ revision: '2026-07-28', probes: false })
    expect((await revisionWith(['2025-11-25'])).revision).toBe('2025-11-25')
    expect((await revisionWith(['2026-07-28'])).revision).toBe('2026-07-28')
  })

  it.each(['sdk-v1', 'mcp-lite'])('VER-013 is reported as too old if only the latest revision is allowed: %s', async (name) => {
    const wire = tap()
    const connecting = connect(await address(name), { revision: '2026-07-28', verdicts: memoryRevisions(), fetch: wire.fetch })
    await expect(connecting).rejects.toMatchObject({ code: 'no_common_revision', message: expect.stringContaining('2026-07-28') })
    expect(new Set(wire.sent)).toEqual(new Set(['POST server/discover']))
  })

  it('is reported as too new if only a handshake is allowed', async () => {
    await using server = await served({ revisions: ['2026-07-28'] })
    const connecting = connect(server.url, { revision: '2025-11-25', verdicts: memoryRevisions() })
    await expect(connecting).rejects.toMatchObject({ code: 'no_common_revision' })
  })

  it('LIFE-010 causes a disconnection if the server requires a revision that is not allowed', async () => {
    // mcp-lite answers an unknown revision with its oldest one.
    const connecting = connect(await address('mcp-lite'), { revision: '2025-11-25', verdicts: memoryRevisions() })
    const bothVersions = expect.stringMatching(/2025-03-26.*2025-11-25/s)
    await expect(connecting).rejects.toMatchObject({ code: 'no_common_revision', message: bothVersions })
  })
})

describe('One URL', () => {
  it('SSE1-008 is tried with a POST first, and then as HTTP+SSE', async () => {
    const wire = tap()
    const url = await address('sdk-v1', 'sse', '/sse')
    await using client = await connect(url, { revision: '2025-11-25', verdicts: memoryRevisions(), fetch: wire.fetch })
    expect(textOf((await client.call('echo', { text: 'hi' })).content)).toBe('hi')
    expect(wire.sent.slice(0, 3)).toEqual(['POST initialize', 'GET', 'POST initialize'])
    const locked = tap(async () => new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer' } }))
    const connecting = connect(url, { revision: '2025-11-25', verdicts: memoryRevisions(), fetch: locked.fetch })
    await expect(connecting).rejects.toMatchObject({ code: 'turned_away' })
    expect(locked.sent).not.toContain('GET')
  })

  it('is not taken for HTTP+SSE after a 401, whatever its body', async () => {
    const server = await listen(fixture(), { port: 0, signals: false, authenticate: async () => undefined })
    const wire = tap()
    const connecting = connect(server.url, { verdicts: memoryRevisions(), fetch: wire.fetch })
    await expect(connecting).rejects.toMatchObject({ code: 'turned_away', status: 401 })
    expect(wire.sent).toEqual(['POST server/discover'])
    await server.close()
  })
})

describe('A response', () => {
  const both = async (json: string, stream: string, revision: string) => {
    const wires: Tap[] = []
    for (const url of [json, stream]) {
      const wire = tap()
      wires.push(wire)
      await using client = await connect(url, { revision, verdicts: memoryRevisions(), fetch: wire.fetch })
      expect((await client.listTools()).map(({ name }) => name)).toContain('echo')
      expect((await client.call('add', { a: 1, b: 2 })).structuredContent).toEqual({ sum: 3 })
      expect(await client.call('fail')).toMatchObject({ isError: true })
    }
    return wires.map(({ types }) => [...types])
  }

  it.each(['2025-06-18', '2025-11-25'])('SHTTP-007 may be JSON or a stream: %s', async (revision) => {
    const found = await both(await address('sdk-v1', 'json'), await address('sdk-v1'), revision)
    expect(found).toEqual([['application/json'], ['text/event-stream']])
  })

  it('HTTP-007 may be JSON or a stream: 2026-07-28', async () => {
    const found = await both(await address('sdk-v2', 'json'), await address('sdk-v2', 'stream'), '2026-07-28')
    expect(found).toEqual([['application/json'], ['text/event-stream']])
  })
})

describe('The capabilities of a server', () => {
  it('CAP-006 may be only that it has tools', async () => {
    await using client = await connect(await programOf('fastmcp', 'stdio'), { verdicts: memoryRevisions() })
    expect(client.server.capabilities.tools).toEqual({})
    expect((await client.listTools()).map(({ name }) => name)).toContain('echo')
    expect(textOf((await client.call('echo', { text: 'hi' })).content)).toBe('hi')
  })
})

describe('A missing resource', () => {
  it('RSRC-006 causes the same error for each code that servers use', async () => {
    const code = async (url: string, revision: string) => {
      await using client = await connect(url, { revision, verdicts: memoryRevisions() })
      const thrown = await client.readResource('notes://never').catch((reason: unknown) => reason)
      expect(thrown).toBeInstanceOf(ResourceMissing)
      return (thrown as ResourceMissing).code // checked above
    }
    await using server = await served()
    expect(await code(server.url, '2025-11-25')).toBe(-32002)
    expect(await code(server.url, '2026-07-28')).toBe(-32602)
    expect(await code(await address('sdk-v1'), '2025-11-25')).toBe(-32602)
    expect(await code(await address('sdk-v2'), '2026-07-28')).toBe(-32602)
  })
})
