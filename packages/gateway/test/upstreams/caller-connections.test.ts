import type { Caller } from 'toolwire'
import type { Credentials } from 'toolwire/client'
import { describe, expect, it, vi } from 'vitest'
import { callerConnections } from '../../src/upstreams/caller-connections.js'

const callerOf = (id: string): Caller => ({ id, scopes: [] })
const login = (): Credentials => ({ headers: () => ({}), refused: async () => false })

type Connection = { readonly auth: Credentials; isOpen: boolean; close(): Promise<void> }

function connections(logins: Map<string, Credentials>) {
  const opened: Connection[] = []
  const all = callerConnections<Connection>({
    idleMs: 20,
    authOf: ({ id }) => {
      const auth = logins.get(id)
      if (!auth) throw new Error(`${id} has not logged in`)
      return auth
    },
    open: (auth) => {
      const connection: Connection = {
        auth,
        isOpen: true,
        async close() {
          connection.isOpen = false
        },
      }
      opened.push(connection)
      return connection
    },
  })
  return { all, opened }
}

describe('connections of callers', () => {
  it('are separate for each caller, and closed when they have been idle for a while', async () => {
    const { all, opened } = connections(
      new Map([
        ['ana', login()],
        ['bob', login()],
      ]),
    )
    const used = await Promise.all(['ana', 'bob', 'ana'].map((id) => all.use(callerOf(id), async (one) => one)))
    expect(opened).toHaveLength(2)
    expect(used[0]).toBe(used[2])
    expect(used[0]).not.toBe(used[1])
    await vi.waitFor(() => expect(opened.map(({ isOpen }) => isOpen)).toEqual([false, false]), 60_000)
    expect((await all.use(callerOf('ana'), async (one) => one)).isOpen).toBe(true)
    await all.close()
    expect(opened.every(({ isOpen }) => !isOpen)).toBe(true)
  })

  it('stay while they are in use, also after a new login, which applies to later connections', async () => {
    const logins = new Map([['ana', login()]])
    const { all, opened } = connections(logins)
    let end = () => undefined as unknown
    const work = new Promise((resolve) => {
      end = () => resolve(undefined)
    })
    const long = all.use(callerOf('ana'), () => work)
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(opened[0]?.isOpen).toBe(true)
    logins.set('ana', login())
    await all.use(callerOf('ana'), async (one) => expect(one).toBe(opened[1]))
    expect(opened[0]?.isOpen).toBe(true)
    end()
    await long
    expect(opened[0]?.isOpen).toBe(false)
  })

  it('are closed when a login has changed, at once or after their work', async () => {
    const { all, opened } = connections(
      new Map([
        ['ana', login()],
        ['bob', login()],
      ]),
    )
    await all.use(callerOf('ana'), async (one) => one)
    await all.use(callerOf('bob'), async (one) => {
      all.forget('ana')
      all.forget('bob')
      all.forget('eve')
      expect(opened.map(({ isOpen }) => isOpen)).toEqual([false, true])
      return one
    })
    expect(opened.map(({ isOpen }) => isOpen)).toEqual([false, false])
  })

  it('are not opened without a login', async () => {
    const { all, opened } = connections(new Map())
    await expect(all.use(callerOf('eve'), async () => 'done')).rejects.toThrow('eve has not logged in')
    expect(opened).toEqual([])
  })
})
