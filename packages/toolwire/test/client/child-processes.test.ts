// Servers in child processes, from the connection to the exit.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Client, type ConnectOptions, connect, memoryRevisions } from '../../src/client/index.js'
import type { JsonObject } from '../../src/json.js'
import type { Command } from '../../src/transports/stdio/client/child/child-endpoint.js'
import { every, until } from '../revisions.js'
import { until as eventually } from '../transports/http-client-fixture.js'

const script = fileURLToPath(new URL('child-server.mjs', import.meta.url))
const modern = '2026-07-28'
const closers: (() => unknown)[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  for (const close of closers.splice(0).reverse()) await close()
})

type Started = {
  readonly client: Client
  readonly warnings: string[]
  /** All bytes that the client wrote to the stdin of the server. */
  readonly input: () => string
  readonly received: (method?: string) => JsonObject[]
}

async function start(revision: string, options: ConnectOptions = {}, more: Partial<Command> = {}): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-'))
  closers.push(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'input')
  const warnings: string[] = []
  const client = await connect(
    { command: process.execPath, args: [script, revision, file], ...more },
    { revision, verdicts: memoryRevisions(), onWarning: (text) => warnings.push(text), ...options },
  )
  closers.push(() => client.close())
  const input = () => readFileSync(file, 'utf8')
  const messages = () =>
    input()
      .split('\n')
      .slice(0, -1)
      .map((line): JsonObject => JSON.parse(line))
  const received = (method?: string) => messages().filter((message) => method === undefined || message.method === method)
  return { client, warnings, input, received }
}

async function textOf(client: Client, name: string, args: JsonObject = {}): Promise<string> {
  const { content } = await client.call(name, args)
  return content[0]?.type === 'text' ? content[0].text : ''
}

describe.each(every)('%s', (revision) => {
  it('STDIO-001 STDIO-003 STDIO-015 starts a server and writes only messages to it, one a line', async () => {
    const { client, input, received } = await start(revision)
    const words = 'two\nlines\r\nand \u2028 more'
    expect(await textOf(client, 'echo', { text: words })).toBe(words)
    await client.close()
    expect(input().endsWith('\n')).toBe(true)
    for (const message of received()) expect(message).toMatchObject({ jsonrpc: '2.0' })
    expect(received('tools/call')).toHaveLength(1)
    expect(input().split('\n')).toHaveLength(received().length + 1)
  })

  it('STDIO-004 STDIO-005 accepts any amount of output on stderr, and does not interpret it', async () => {
    const { client, warnings } = await start(revision)
    const pid = await textOf(client, 'pid')
    expect(await textOf(client, 'chatty')).toBe('quiet')
    expect(await textOf(client, 'pid')).toBe(pid)
    expect(warnings).toEqual([])
  })

  it('STDIO-007 reads every response, whatever is between the lines', async () => {
    const { client, warnings } = await start(revision, { limits: { messageBytes: 100_000 } })
    const pid = await textOf(client, 'pid')
    expect(await textOf(client, 'messy')).toBe('clean')
    expect(await textOf(client, 'pid')).toBe(pid)
    expect(warnings.length).toBeGreaterThanOrEqual(2)
  })

  it('STDIO-014 leaves credentials to the environment of the server, and asks for none', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch')
    const auth = { headers: vi.fn(() => ({})), refused: vi.fn(async () => false) }
    const { client, received } = await start(revision, { auth }, { env: { SHOP_TOKEN: 'sesame' } })
    expect(await textOf(client, 'token')).toBe('sesame')
    expect([fetched, auth.headers, auth.refused].map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0])
    expect(JSON.stringify(received())).not.toContain('sesame')
  })
})

describe.each(until('2025-11-25'))('%s', (revision) => {
  it('STDIO-008 answers a question while an earlier one is still open', async () => {
    let decide = (): void => undefined
    const decided = new Promise<void>((resolve) => {
      decide = resolve
    })
    let questions = 0
    const roots = async () => {
      if (++questions > 1) await decided
      return []
    }
    const { client } = await start(revision, { answers: { roots }, onLog: decide })
    expect(await textOf(client, 'asks')).toBe('ping,roots')
  })

  it('answers questions that arrive before the handshake is complete', async () => {
    const root = { uri: 'file:///home', name: 'Home' }
    const { received } = await start(revision, { answers: { roots: [root] } })
    await eventually(() => received().some(({ id }) => id === 'early'))
    expect(received().find(({ id }) => id === 'early')).toMatchObject({ result: { roots: [root] } })
  })
})

describe(modern, () => {
  it('STDIO-008 receives responses while a question is still open', async () => {
    let decide = (): void => undefined
    const decided = new Promise<void>((resolve) => {
      decide = resolve
    })
    const form = async () => {
      await decided
      return { action: 'accept', content: {} } as const
    }
    const { client } = await start(modern, { answers: { form } })
    const confirmed = textOf(client, 'confirms')
    expect(await textOf(client, 'echo', { text: 'meanwhile' })).toBe('meanwhile')
    decide()
    expect(await confirmed).toContain('accept')
  })

  const key = 'io.modelcontextprotocol/subscriptionId'
  const updated = (uri: string, id?: number): JsonObject => ({
    method: 'notifications/resources/updated',
    params: { uri, ...(id !== undefined && { _meta: { [key]: id } }) },
  })
  const toolsChanged = (id?: number): JsonObject => ({
    method: 'notifications/tools/list_changed',
    params: id === undefined ? {} : { _meta: { [key]: id } },
  })

  it('STDIO-009 matches changes to subscriptions by id, and ignores others', async () => {
    const { client, received } = await start(modern)
    const changes: unknown[] = []
    client.onChange((change) => changes.push(change))
    const unwatch = await client.watch('file:///a')
    await client.watch('file:///b')
    await eventually(() => received('subscriptions/listen').length === 3)
    const [lists, a, b] = received('subscriptions/listen').map(({ id }) => Number(id)) as [number, number, number]
    const say = (...messages: JsonObject[]) => client.call('say', { messages })
    await say(updated('file:///a'), updated('file:///a', 999), toolsChanged(), toolsChanged(999), updated('file:///b', b))
    await eventually(() => changes.length > 0)
    expect(changes.splice(0)).toEqual([{ kind: 'resource', uri: 'file:///b' }])
    await unwatch()
    await say(updated('file:///a', a), toolsChanged(lists))
    await eventually(() => changes.length > 0)
    expect(changes).toEqual([{ kind: 'tools' }])
  })

  it('STDIO-013 restarts a killed server, subscribes again, and does not repeat calls with an unknown outcome', async () => {
    const { client, received } = await start(modern)
    const changes: unknown[] = []
    client.onChange((change) => changes.push(change))
    const pid = Number(await textOf(client, 'pid'))
    await eventually(() => received('subscriptions/listen').length === 1)
    const lost = client.call('hang').catch((thrown: unknown) => thrown)
    await eventually(() => received('tools/call').length === 2)
    process.kill(pid, 'SIGKILL')
    expect(await lost).toMatchObject({ name: 'CallFailure', code: 'outcome_unknown' })
    expect(Number(await textOf(client, 'pid'))).not.toBe(pid)
    const calls = received('tools/call').map(({ params }) => (params as JsonObject).name)
    expect(calls).toEqual(['pid', 'hang', 'pid'])
    await eventually(() => received('subscriptions/listen').length === 2)
    // Changes during the restart are unknown, so a change of everything is reported.
    await eventually(() => changes.length === 3)
  })
})
