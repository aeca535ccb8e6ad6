// Pings of a client with a heartbeat.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { until } from '../revisions.js'
import { passUntil } from './fake-time.js'
import { connectScripted, Fails, plainTool, silence, textResult, toolsPage } from './scripted.js'

const echo = { 'tools/list': toolsPage([plainTool('echo')]), 'tools/call': textResult('hi') }
const hour = 3_600_000

afterEach(() => vi.useRealTimers())

describe.each(until('2025-11-25'))('%s', (revision) => {
  it('PING-002 closes a connection whose pings are unanswered, and opens another when needed', async () => {
    const { client, server, warnings } = await connectScripted(
      { ...echo, ping: silence },
      { revision, options: { pingEveryMs: 15 } },
    )
    await expect.poll(() => warnings.join()).toMatch(/did not answer 3 pings in a row/)
    expect(server.received('ping').length).toBeGreaterThanOrEqual(3)
    await expect(client.call('echo')).resolves.toMatchObject({ isError: false })
    expect(server.dials).toBe(2)
  })

  it('PING-002 takes an error response as proof of life', async () => {
    const { server, warnings } = await connectScripted(
      { ...echo, ping: new Fails(-32_601) },
      { revision, options: { pingEveryMs: 5 } },
    )
    await expect.poll(() => server.received('ping').length).toBeGreaterThan(5)
    expect(warnings).toEqual([])
  })

  it('PING-002 reports that the session has ended, and opens another if there are listeners', async () => {
    const events: string[] = []
    const onSession = ({ kind }: { kind: string }) => void events.push(kind)
    const { client, server } = await connectScripted(
      { ...echo, ping: () => (server.dials > 1 ? {} : silence) },
      { revision, options: { pingEveryMs: 15, onSession } },
    )
    client.onChange(() => undefined)
    await expect.poll(() => events).toEqual(['begun', 'ended', 'begun'])
  })

  it('PING-003 pings at the configured interval, and never by default', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
    for (const [pingEveryMs, pings] of [[undefined, 0] as const, [0, 0] as const, [600_000, 6] as const]) {
      const { client, server } = await connectScripted(
        { ...echo, ping: {} },
        { revision, options: pingEveryMs === undefined ? {} : { pingEveryMs } },
      )
      // One timer follows another, so the clock must not advance past several at once.
      if (pings > 0) expect(await passUntil(() => server.received('ping').length === pings, 60_000)).toBeGreaterThanOrEqual(hour)
      else await vi.advanceTimersByTimeAsync(hour)
      expect(server.received('ping')).toHaveLength(pings)
      await client.close()
      await vi.advanceTimersByTimeAsync(hour)
      expect(server.received('ping')).toHaveLength(pings)
    }
  })
})
