// What keeps the process alive. This test counts all timers of the process, so no other code runs in it.
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { KeepAlive } from '../../src/client/connection/session.js'
import { connectScripted, plainTool, silence, toolsPage } from './scripted.js'

const modern = '2026-07-28'

describe('the process', () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
  /** The minimum over several samples, because the test runner has timers that come and go. */
  async function lastingTimers(): Promise<number> {
    let least = timers()
    for (const until = performance.now() + 300; performance.now() < until; least = Math.min(least, timers())) await setImmediate()
    return least
  }

  it('stays alive only while a request is pending', async () => {
    const { client } = await connectScripted(
      { 'tools/list': toolsPage([plainTool('a')]), 'tools/call': silence },
      { revision: modern },
    )
    await client.listTools()
    const idle = await lastingTimers()
    const abort = new AbortController()
    const calls = [1, 2].map(() => client.call('a', {}, { signal: abort.signal }).catch((thrown: unknown) => thrown))
    expect(await lastingTimers()).toBe(idle + 1)
    abort.abort()
    await Promise.all(calls)
    expect(await lastingTimers()).toBe(idle)
  })

  it('is kept alive by one timer, which is started and stopped', () => {
    const keepAlive = new KeepAlive()
    const before = timers()
    keepAlive.begin()
    keepAlive.begin()
    expect(timers()).toBe(before + 1)
    keepAlive.end()
    expect(timers()).toBe(before + 1)
    keepAlive.end()
    expect(timers()).toBe(before)
    keepAlive.begin()
    expect(timers()).toBe(before + 1)
    keepAlive.end()
  })
})
