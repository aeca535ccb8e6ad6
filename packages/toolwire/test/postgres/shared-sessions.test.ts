import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { resource, server, tool } from '../../src/index.js'
import { type Listening, listen } from '../../src/node.js'
import type { SessionChange } from '../../src/peer/conversation.js'
import { memorySessions, type SessionStore } from '../../src/transports/http/server/sessions/session-store.js'
import '../reported-faults.js'
import { howMany } from '../soak.js'
import { call } from '../transports/fixture.js'
import { Client, eventsIn, HttpPeer } from '../transports/peers.js'
import { overStores, type Replicas } from './over-stores.js'

const hour = 3_600_000
let count = 0

const request = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: ++count, method, params })

/** Three HTTP servers with a shared secret and shared sessions. */
function threeServers(replicas: Replicas<SessionStore>) {
  const open: Listening[] = []
  const apps: ReturnType<typeof app>[] = []
  const app = () =>
    server({
      name: 'shop',
      version: '1',
      secret: 'a secret that three replicas share',
      logging: true,
      tools: {
        say: tool({
          description: 'Logs two lines',
          run: (_, ctx) => {
            ctx.log('info', 'quiet')
            ctx.log('error', 'loud')
            return 'said'
          },
        }),
      },
      resources: { stock: resource({ uri: 'shop://stock', read: () => '1' }) },
    })
  beforeAll(async () => {
    for (const sessions of replicas()) {
      const made = app()
      apps.push(made)
      open.push(await listen(made, { signals: false, sessions }))
    }
  })
  afterAll(async () => void (await Promise.all(open.map((one) => one.close()))))
  const peer = (at: number, like?: HttpPeer) => {
    const made = new HttpPeer(open[at]?.url ?? '')
    made.session = like?.session
    return made
  }
  return { apps, peer }
}

/** Reads the listening stream of the client until the test aborts it. */
function listening(peer: HttpPeer) {
  const cut = new AbortController()
  let text = ''
  const opened = peer.request('GET', { accept: 'text/event-stream' }, { signal: cut.signal })
  const ended = (async () => {
    const { body } = await opened
    for await (const part of (body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new TextDecoderStream())) text += part
  })().catch(() => {}) // the test has aborted it
  return {
    opened,
    ended,
    methods: () => eventsIn(text).flatMap(({ data }) => (data ? [JSON.parse(data).method as string] : [])),
    cut: () => cut.abort(),
  }
}

describe('shared sessions', () => {
  overStores(
    { memory: () => memorySessions(1_000), postgres: (stores) => stores.sessions },
    (replicas) => {
      const { apps, peer } = threeServers(replicas)
      const cuts: (() => void)[] = []
      afterEach(() => {
        for (const cut of cuts.splice(0)) cut()
      })

      it('end on all replicas when one replica ends them', async () => {
        const first = peer(0)
        await Client.open(first, '2025-11-25')
        const second = peer(1, first)
        expect((await second.say(JSON.stringify(call(1, 'say')), 'response')).at(-1)?.result).toBeDefined()
        expect((await first.request('DELETE')).status).toBe(204)
        for (const at of [0, 1, 2]) {
          const other = peer(at, first)
          await other.say(JSON.stringify(call(2, 'say')), 'response')
          expect([at, other.status]).toEqual([at, 404])
        }
      })

      it('keep the log level on every replica', async () => {
        const first = peer(0)
        await Client.open(first, '2025-11-25')
        const others = [peer(0, first), peer(1, first), peer(2, first)]
        const logged = async (one: HttpPeer) =>
          (await one.say(JSON.stringify(call(++count, 'say')), 'response')).flatMap(({ method, params }) =>
            method === 'notifications/message' ? [(params as { data: unknown }).data] : [],
          )
        for (const one of others) expect(await logged(one)).toEqual(['quiet', 'loud'])
        await (others[1] as HttpPeer).say(JSON.stringify(request('logging/setLevel', { level: 'error' })), 'response')
        for (const one of others) expect(await logged(one)).toEqual(['loud'])
      })

      it('keep their subscribed resources on every replica', async () => {
        const first = peer(0)
        await Client.open(first, '2025-11-25')
        await first.say(JSON.stringify(request('resources/subscribe', { uri: 'shop://stock' })), 'response')
        const stream = listening(peer(2, first))
        cuts.push(stream.cut)
        expect((await stream.opened).status).toBe(200)
        apps[2]?.resources.updated('shop://stock')
        await expect.poll(stream.methods).toEqual(['notifications/resources/updated'])

        await peer(1, first).say(JSON.stringify(request('resources/unsubscribe', { uri: 'shop://stock' })), 'response')
        await peer(2, first).say(JSON.stringify(call(++count, 'say')), 'response')
        expect(apps[2]?.watched.uris.has('shop://stock')).toBe(false)
      })

      it('keep every change, for any interleaving of three replicas', async () => {
        const changes = fc.oneof(
          fc.record({ watch: fc.constantFrom('a:1', 'b:\0', 'c:"\\') }),
          fc.record({ unwatch: fc.constantFrom('a:1', 'b:\0', 'c:"\\') }),
          fc.record({ logLevel: fc.constantFrom('debug' as const, 'error' as const) }),
        )
        const steps = fc.array(fc.record({ replica: fc.integer({ min: 0, max: 2 }), change: changes }), { maxLength: 12 })
        await fc.assert(
          fc.asyncProperty(steps, async (taken) => {
            const id = `session ${++count}`
            const stores = replicas()
            const watched = new Set<string>()
            let level: string | undefined
            for (const [at, { replica, change }] of taken.entries()) {
              const after = await stores[replica as 0 | 1 | 2].change(id, change as SessionChange, hour)
              if ('watch' in change) watched.add(change.watch)
              if ('unwatch' in change) watched.delete(change.unwatch)
              if ('logLevel' in change) level = change.logLevel
              expect([after.version, after.logLevel, [...after.watched].sort()]).toEqual([at + 1, level, [...watched].sort()])
            }
            for (const store of stores) expect([...((await store.read(id))?.watched ?? [])].sort()).toEqual([...watched].sort())
          }),
          { numRuns: howMany(15, 100) },
        )
      })

      it('lose none of many simultaneous changes', async () => {
        const id = `session ${++count}`
        const uris = Array.from({ length: 30 }, (_, at) => `many:${at}`)
        const stores = replicas()
        await Promise.all(uris.map(async (watch, at) => stores[(at % 3) as 0 | 1 | 2].change(id, { watch }, hour)))
        const seen = await stores[0].read(id)
        expect([seen?.version, [...(seen?.watched ?? [])].sort()]).toEqual([30, uris.sort()])
        await stores[1].end(id, hour)
        expect((await stores[2].read(id))?.ended).toBe(true)
      })
    },
    (replicas, database) => {
      const { peer } = threeServers(replicas)

      it('are refused with 503 during an outage of the database, and continue afterwards', async () => {
        const first = peer(0)
        await Client.open(first, '2025-11-25')
        await database().kill()
        const refused = await first.post(JSON.stringify(call(1, 'say')))
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
        await refused.text()
        expect((await first.request('DELETE')).status).toBe(503)
        await database().start()
        for (const at of [0, 1]) {
          const messages = await peer(at, first).say(JSON.stringify(call(2, 'say')), 'response')
          expect(messages.at(-1)?.result).toBeDefined()
        }
      })
    },
  )
})
