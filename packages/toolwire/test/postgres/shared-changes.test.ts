import { afterEach, describe, expect, it } from 'vitest'
import { resource, server, tool } from '../../src/index.js'
import type { SharedChange, SharedChanges } from '../../src/server/lists/shared-changes.js'
import type { TaskStore } from '../../src/server/tasks/task-store.js'
import { memorySessions, type SessionStore } from '../../src/transports/http/server/sessions/session-store.js'
import { memoryChanges, memorySharedTasks } from './memory-stores.js'
import '../reported-faults.js'
import { selfDescribing } from '../transports/fixture.js'
import { Client, mirrored } from '../transports/peers.js'
import { httpReplicas, reading } from './http-replicas.js'
import { overStores, type Replicas } from './over-stores.js'

type Shared = { readonly sharedChanges: SharedChanges; readonly sessions: SessionStore; readonly taskStore: TaskStore }

let count = 0
let ends: ((said: string) => void)[] = []

function shop({ sharedChanges, taskStore }: Pick<Shared, 'sharedChanges' | 'taskStore'>) {
  return server({
    name: 'shop',
    version: '1',
    secret: 'a secret that three replicas share',
    sharedChanges,
    taskStore,
    tools: {
      look: tool({ description: 'Looks', run: () => 'seen' }),
      wait: tool({
        description: 'Waits',
        longRunning: 'optional',
        run: () => new Promise<string>((resolve) => ends.push(resolve)),
      }),
    },
    resources: { stock: resource({ uri: 'shop://stock', read: () => '1' }) },
  })
}

function suite(replicas: Replicas<Shared>): void {
  let next = 0
  const { apps, peer } = httpReplicas(
    () => replicas().map(({ sessions }) => ({ sessions })),
    () => shop(replicas()[next++ as 0 | 1 | 2]),
  )
  const cuts: (() => void)[] = []
  afterEach(() => {
    for (const cut of cuts.splice(0)) cut()
    ends = []
  })

  /** A client that listens at the given replica, in one session. */
  async function listening(at: number) {
    const first = peer(0)
    await Client.open(first, '2025-11-25')
    const there = peer(at, first)
    const stream = reading(there, 'GET')
    cuts.push(stream.cut)
    expect((await stream.opened).status).toBe(200)
    return { first, stream, methods: () => stream.messages().map(({ method }) => method) }
  }

  it('reach the clients of every replica once', async () => {
    const [a, b, c] = [await listening(0), await listening(1), await listening(2)]
    await expect
      .poll(
        async () => {
          apps[1]?.tools.announce()
          await new Promise((resolve) => setTimeout(resolve, 100))
          return [a, b, c].every(({ methods }) => methods().includes('notifications/tools/list_changed'))
        },
        { timeout: 60_000 },
      )
      .toBe(true)
    // All clients listen from here on, and each change arrives once. The last change arrives after all earlier ones.
    const settled = async () => {
      let before = -1
      for (let now = a.methods().length + c.methods().length; now !== before; now = a.methods().length + c.methods().length) {
        before = now
        await new Promise((resolve) => setTimeout(resolve, 1_500))
      }
    }
    await settled()
    const before = [a, b, c].map(({ methods }) => methods().length)
    apps[2]?.tools.announce()
    await expect.poll(() => [a, b, c].map(({ methods }, at) => methods().length - (before[at] ?? 0))).toEqual([1, 1, 1])
    await settled()
    expect([a, b, c].map(({ methods }, at) => methods().length - (before[at] ?? 0))).toEqual([1, 1, 1])
  })

  it('of a resource reach a client that listens at another replica', async () => {
    const { first, methods } = await listening(2)
    const body = { jsonrpc: '2.0', id: ++count, method: 'resources/subscribe', params: { uri: 'shop://stock' } }
    await peer(1, first).say(JSON.stringify(body), 'response')
    await expect.poll(() => apps[2]?.watched.uris.has('shop://stock')).toBe(true)
    apps[0]?.resources.updated('shop://stock')
    await expect.poll(methods).toContain('notifications/resources/updated')
  })

  it('end the streams of a session that another replica has ended', async () => {
    const { first, stream } = await listening(2)
    expect((await peer(1, first).request('DELETE')).status).toBe(204)
    await stream.ended
    expect((await peer(2, first).request('GET', { accept: 'text/event-stream' })).status).toBe(404)
  })

  it('of a task reach a subscription on another replica', async () => {
    const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
    const said = (method: string, params: object) => {
      const message = selfDescribing({ jsonrpc: '2.0', id: ++count, method, params } as { params?: object }) as {
        params: { _meta: Record<string, unknown> }
      }
      message.params._meta['io.modelcontextprotocol/clientCapabilities'] = capabilities
      return message
    }
    const ask = async (at: number, method: string, params: object) => {
      const message = said(method, params)
      return (await peer(at).say(JSON.stringify(message), 'response', message)).at(-1)?.result as Record<string, unknown>
    }
    const { taskId } = await ask(0, 'tools/call', { name: 'wait', arguments: {} })
    const message = said('subscriptions/listen', { notifications: { taskIds: [taskId], toolsListChanged: true } })
    const other = peer(1)
    Object.assign(other.headers, mirrored(message as never))
    const stream = reading(other, 'POST', { body: message })
    cuts.push(stream.cut)
    // Once it is told of a change, this replica listens for others.
    const announced = () => {
      apps[0]?.tools.announce()
      return stream.messages().map(({ method }) => method)
    }
    await expect.poll(announced, { interval: 300 }).toContain('notifications/tools/list_changed')
    for (const end of ends) end('done')
    await expect
      .poll(() => stream.messages().map(({ params }) => (params as { status?: string } | undefined)?.status))
      .toContain('completed')
  })
}

describe('shared changes', () => {
  overStores<Shared>(
    {
      memory: () => ({ sharedChanges: memoryChanges(), sessions: memorySessions(100), taskStore: memorySharedTasks() }),
      postgres: ({ changes, sessions, tasks }) => ({ sharedChanges: changes, sessions, taskStore: tasks }),
    },
    suite,
    (replicas, database) => {
      it('are delivered again after the database has recovered', async () => {
        const received: unknown[] = []
        const [a, b] = replicas()
        const stop = b.sharedChanges.listen('b', (change) => received.push(change))
        const arrives = (change: SharedChange) => {
          const published = () => {
            a.sharedChanges.publish('a', change)
            return received
          }
          return expect.poll(published, { interval: 300 }).toContainEqual(change)
        }
        await arrives({ uri: 'x:1\0' })
        await database().kill()
        a.sharedChanges.publish('a', { uri: 'lost' })
        await new Promise((resolve) => setTimeout(resolve, 700))
        await database().start()
        await arrives({ list: 'tools' })
        expect(received).not.toContainEqual({ uri: 'lost' })
        stop()
      })
    },
  )
})
