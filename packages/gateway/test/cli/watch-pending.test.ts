// Pending calls in the terminal.
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ApiClient, ApiRefusal, apiClientOf } from '../../src/cli/api/api-client.js'
import { pendingById } from '../../src/cli/approvals/pending-approval.js'
import { watchPending } from '../../src/cli/approvals/watch-pending.js'
import { client, pending, started } from '../support/running-gateway.js'
import { notes } from '../support/upstream-configs.js'

it('a call that becomes pending between the list and the first event is shown', async () => {
  const gateway = await started({ upstreams: [notes()] })
  const ended = new AbortController()
  onTestFinished(() => ended.abort())
  const api = apiClientOf({
    options: { gateway: `http://127.0.0.1:${gateway.port}` },
    env: { TOOLWIRE_DATA_DIR: gateway.config.dataDir },
    signal: ended.signal,
  })
  const caller = await client(gateway.url)
  const late: ApiClient = {
    ...api,
    open: async (path, asking) => {
      const call = caller.call('notes__write', { text: 'late' }, { onProgress: () => undefined, signal: ended.signal })
      call.catch(() => undefined) // stays undecided
      await pending(gateway)
      return api.open(path, asking)
    },
  }
  for await (const { waiting } of watchPending(late, ended.signal)) {
    expect(waiting).toMatchObject({ arguments: { text: 'late' } })
    return
  }
  expect.unreachable()
})

/** A gateway with two pages of pending calls. The call "moves" goes from the second to the first while the first is read. */
const inPages = (events: readonly string[] = [], missing = () => false): ApiClient => {
  let lists = 0
  return {
    url: 'http://127.0.0.1:1',
    open: async () => {
      const text = events.map((event) => `event: ${event}\ndata: {}\n\n`).join('')
      const opened = new TextEncoder().encode(text)
      return new Response(new ReadableStream({ start: (controller) => controller.enqueue(opened) }))
    },
    request: async (path, { query = {} } = {}) => {
      if (path === '/approvals/moves' && !missing()) return { id: 'moves', tool: { name: 'write' } }
      if (path !== '/approvals') throw new ApiRefusal(404, 'No pending call has this id')
      if (query.after === undefined) return { approvals: lists++ === 0 ? [{ id: 'moves' }] : [{ id: 'first' }], next: '2' }
      return { approvals: [{ id: 'first' }] }
    },
  }
}

describe('a call that moves between two pages of the list', () => {
  /** Whether the call is gone within a time, or ever. */
  const watched = async (api: ApiClient, withinMs?: number) => {
    const ended = new AbortController()
    onTestFinished(() => ended.abort())
    for await (const { waiting, gone } of watchPending(api, ended.signal)) {
      expect(waiting).toEqual({ id: 'moves' })
      return new Promise((resolve) => {
        gone.addEventListener('abort', () => resolve('gone'))
        if (withinMs !== undefined) setTimeout(resolve, withinMs, 'pending')
      })
    }
  }

  it('is still pending for the person to whom it is shown', async () => {
    expect(await watched(inPages(['approval']), 500)).toBe('pending')
    expect(await watched(inPages(['approval'], () => true))).toBe('gone')
  })

  it('is found by its id, and a call that is on both pages is one', async () => {
    const api = inPages()
    await api.request('/approvals')
    expect(await pendingById(api, 'moves')).toMatchObject({ id: 'moves' })
    expect(await pendingById(api, 'fir')).toEqual({ id: 'first' })
    await expect(pendingById(api, 'other')).rejects.toThrow('No pending call has the id other')
  })
})
