// What keeps the process alive. All timers of the process are counted, so nothing else runs in this one.
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { KeepAlive } from '../../src/client/connection/session.js'
import { plainTool, scripted, silence, toolsPage } from './scripted.js'

const modern = '2026-07-28'

describe('the process', () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
  /** Those that stay: the runner of the tests has some of its own, which come and go. */
  async function lastingTimers(): Promise<number> {
    let least = timers()
    for (const until = performance.now() + 300; performance.now() < until; least = Math.min(least, timers())) await setImmediate()
    return least
  }

  it('lives as long as somebody waits for an answer, and no longer', async () => {
    const { client } = await scripted({ 'tools/list': toolsPage([plainTool('a')]), 'tools/call': silence }, { revision: modern })
    await client.listTools()
    const idle = await lastingTimers()
    const abort = new AbortController()
    const calls = [1, 2].map(() => client.call('a', {}, { signal: abort.signal }).catch((thrown: unknown) => thrown))
    expect(await lastingTimers()).toBe(idle + 1)
    abort.abort()
    await Promise.all(calls)
    expect(await lastingTimers()).toBe(idle)
  })

  it('is kept by one timer, on and off', () => {
    const vigil = new KeepAlive()
    const before = timers()
    vigil.begin()
    vigil.begin()
    expect(timers()).toBe(before + 1)
    vigil.end()
    expect(timers()).toBe(before + 1)
    vigil.end()
    expect(timers()).toBe(before)
    vigil.begin()
    expect(timers()).toBe(before + 1)
    vigil.end()
  })
})
