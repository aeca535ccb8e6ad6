// Tests for every transport. `differs` describes the differences.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { corpus } from '../json/verdicts.js'
import { eachNth } from '../soak.js'
import { call, fixture, modern, selfDescribing, until } from './fixture.js'
import { Client, HttpPeer, type Peer, type Received } from './peers.js'

export type Mounted = { open(): Promise<Peer>; close(): void | Promise<void> }
export type Mount = (app: ReturnType<typeof fixture>['app']) => Mounted | Promise<Mounted>
export type Differs = {
  /** The transport parses bodies itself, so some invalid ones never reach the server. */
  readonly parsesBodies?: boolean
}

const files = eachNth(corpus(), 6)

export function conversationSuite(name: string, version: string, mount: Mount, differs: Differs = {}): void {
  describe(`${name}, ${version}`, () => {
    const { app, seen } = fixture()
    let mounted: Mounted
    let client: Client
    beforeAll(async () => {
      mounted = await mount(app)
      client = await Client.open(await mounted.open(), version)
    })
    afterAll(async () => {
      await client.peer.close()
      await mounted.close()
    })

    const works = async (where = client) => {
      const messages = await where.request(call('still-there', 'echo', { text: 'here' }))
      expect(textOf(messages.at(-1))).toBe('here')
    }

    it('BASE-005 returns ids of either type', async () => {
      for (const id of [7, '7', 0, -1, 'a"\\\n\u2028', 2 ** 53 - 1]) {
        const messages = await client.request(call(id, 'echo', { text: 'x' }))
        expect(messages.at(-1)?.id).toBe(id)
      }
    })

    it('STDIO-001 keeps line breaks inside messages', async () => {
      const text = 'one\ntwo\r\nthree\u2028four'
      expect(textOf((await client.request(call(1, 'echo', { text }))).at(-1))).toBe(text)
    })

    it('answers concurrent clients separately', async () => {
      const peers = await Promise.all([1, 2, 3].map(async () => Client.open(await mounted.open(), version)))
      const calls = peers.flatMap((peer, at) => [peer.request(call(`id-${at}`, 'echo', { text: `text-${at}` }))])
      const answers = await Promise.all(calls)
      expect(answers.map((messages) => [messages.at(-1)?.id, textOf(messages.at(-1))])).toEqual(
        [0, 1, 2].map((at) => [`id-${at}`, `text-${at}`]),
      )
      for (const peer of peers) await peer.peer.close()
    })

    it('sends progress before the response', async () => {
      const messages = await client.request(call('p', 'slow', { ms: 120 }, { _meta: { progressToken: 'mine' } }))
      const progress = messages.filter((message) => message.method === 'notifications/progress')
      expect(progress.map((message) => (message.params as { progressToken: string }).progressToken)).toContain('mine')
      expect(messages.at(-1)?.id).toBe('p')
    })

    it('BASE-008 CANC-007 answers no notification, neither known nor unknown, valid nor invalid', async () => {
      for (const message of [
        { method: 'notifications/unheard-of' },
        { method: 'notifications/cancelled', params: { requestId: {} } },
        { method: 'tools/call', params: {} },
      ]) {
        const messages = await client.notify({ jsonrpc: '2.0', ...message })
        expect(messages).toEqual([])
        await works()
      }
    })

    it.each(badMessages)('%s', async (_title, bytes, code) => {
      const before = seen.ran
      const [answer, ...more] = await client.peer.say(bytes, 'response', {})
      expect(more).toEqual([])
      if (!differs.parsesBodies) expect(answer?.error?.code).toBe(code)
      expect(seen.ran).toBe(before)
      await works()
    })

    it(`${version >= '2025-11-25' ? 'BASE-009 leaves out the id' : 'BASE-010 says null for the id'} it could not read`, async () => {
      const [answer] = await client.peer.say('{"jsonrpc":', 'response', {})
      // A single request over HTTP has no revision yet.
      if (differs.parsesBodies) return
      if (version >= '2025-11-25' || (client.peer instanceof HttpPeer && !client.peer.session) || name.includes('HTTP+SSE'))
        expect(answer).not.toHaveProperty('id')
      else expect(answer).toHaveProperty('id', null)
    })

    const readsStrictly = async () => {
      for (const { name: file, bytes, verdict } of files) {
        if (isLines(name) && !isOneLine(bytes)) continue
        const [answer] = await client.peer.say(bytes, 'response', {})
        const parsed = answer?.error?.code === -32700 ? 'refuse' : 'accept'
        expect([file, parsed]).toEqual([file, verdict])
      }
      await works()
    }
    if (!differs.parsesBodies && files.length > 0) it('reads JSON as strictly as everywhere', readsStrictly)

    it(`${batchObligation(version)} batches are ${version === '2025-03-26' ? 'answered in one array' : 'refused whole'}`, async () => {
      const before = seen.ran
      const items = [
        call(1, 'echo', { text: 'a' }),
        { jsonrpc: '2.0', method: 'notifications/unheard-of' },
        call('1', 'echo', { text: 'b' }),
      ]
      const messages = await client.peer.say(
        JSON.stringify(version === modern ? items.map((item) => selfDescribing(item as { params?: object })) : items),
        'response',
        version === modern ? selfDescribing(items[0] as object) : {},
      )
      if (version !== '2025-03-26') {
        expect(messages.map((message) => message.error?.code)).toEqual([-32600])
        expect(seen.ran).toBe(before)
        return
      }
      expect(messages.map((message) => message.id).sort()).toEqual([1, '1'].sort())
      expect(messages.map(textOf).sort()).toEqual(['a', 'b'])
    })

    const saysNothingMore = async () => {
      const { begun, cancelled, finished } = seen
      const slow = call('cancel-me', 'slow', { ms: 300 })
      await client.peer.say(JSON.stringify(version === modern ? selfDescribing(slow) : slow), 'nothing')
      await until(() => seen.begun === begun + 1)
      await client.notify({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: 'cancel-me', reason: 'no longer' },
      })
      await until(() => seen.finished === finished + 1)
      const messages = await client.request(call('after', 'echo', { text: 'x' }))
      expect(messages.filter((message) => message.id === 'cancel-me')).toEqual([])
      expect(messages.at(-1)?.id).toBe('after')
      expect(seen.cancelled).toBe(cancelled + 1)
    }
    // Cancellation over HTTP is tested separately, by closing the response and by a notification.
    if (!isHttp(name)) it('CANC-005 CANC-006 says nothing about a call after it was cancelled', saysNothingMore)
  })
}

const isHttp = (name: string) => name.includes('HTTP') || name.includes('fetch') || name.includes('mounted')
const isLines = (name: string) => name.includes('socket') || name.includes('stdio') || name.includes('streams')

const utf8 = (text: string) => new TextEncoder().encode(text)
const badMessages: [string, string | Uint8Array, number][] = [
  ['BASE-011 goes on after text that is no JSON', 'garbage', -32700],
  ['BASE-011 goes on after half a message', '{"jsonrpc":"2.0","id":1,', -32700],
  [
    'BASE-015 goes on after invalid UTF-8',
    new Uint8Array([...utf8('{"jsonrpc":"2.0","id":1,"method":"'), 0xff, ...utf8('"}')]),
    -32700,
  ],
  ['goes on after a lone surrogate', '{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', -32700],
  ['goes on after a member twice', '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32700],
  ['goes on after a byte order mark', '\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}', -32700],
  [
    'goes on after depth',
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`,
    -32700,
  ],
  ['BASE-011 goes on after a number', '1', -32600],
  ['BASE-011 goes on after null', 'null', -32600],
  ['goes on after an empty array', '[]', -32600],
  ['BASE-001 goes on after another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
  ['BASE-011 goes on after neither method nor result', '{"jsonrpc":"2.0","id":1}', -32600],
  ['BASE-002 goes on after an id of null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
  ['BASE-002 goes on after an id with a fraction', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
]

const batchObligation = (version: string) =>
  ({ '2025-03-26': 'BASE-017 BASE-018', '2024-11-05': 'BASE-022' })[version] ?? 'BASE-021'

export const textOf = (message: Received | undefined): string | undefined =>
  (message?.result?.content as { text: string }[] | undefined)?.[0]?.text

/** Several lines are several messages, and a blank line is none. */
const isOneLine = (bytes: Uint8Array) => /^[^\n]*[^\s][^\n]*\n?$/.test(Buffer.from(bytes).toString('latin1'))
