// The system clock is set one hour forward or back.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { ask, client, doneBy, pending, words } from '../support/running-gateway.js'
import { programFolder, startProgram } from './built-program.js'
import { childPeer } from './peer.js'
import { beside, goodCalls } from './start-with-bad-server.js'

const hour = 3_600_000
const onProgress = () => undefined

/** A gateway whose system clock, in all threads, has the offset that the file contains. */
async function gatewayWithClock(settings: object = {}) {
  const folder = programFolder()
  const file = join(folder, 'offset')
  const set = (ms: number) => writeFileSync(file, String(ms))
  set(0)
  const clock = fileURLToPath(new URL('./peers/clock.mjs', import.meta.url))
  const work = childPeer('writes', 'per-request')
  const gateway = await startProgram({
    folder,
    servers: { work: work.target, good: childPeer('none', 'per-request').target },
    settings: { guard: { rate: false, lists: false }, ...settings },
    node: ['--import', clock],
    env: { TEST_CLOCK_OFFSET: file },
  })
  const caller = await client(gateway.url)
  const call = (id: string) => caller.call('work__bad', { id }, { onProgress })
  return { gateway, set, call, notes: work.notes }
}

type Call = { readonly sequence: number; readonly at: number; readonly ended?: number }

describe('row 20: a clock that jumps', () => {
  it('expires neither a pending approval nor a grant early', async () => {
    const { gateway, set, call, notes } = await gatewayWithClock()
    const waiting = call('1')
    const { id } = await pending(gateway)
    set(hour)
    await beside(gateway.url, () => undefined)
    expect((await pending(gateway)).id).toBe(id)
    const always = { forMs: 600_000 }
    expect((await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow', always } })).status).toBe(200)
    expect(words(await waiting)).toBe('done 1')
    set(2 * hour)
    expect(words(await call('2'))).toBe('done 2')
    set(-hour)
    expect(words(await call('3'))).toBe('done 3')
    expect(notes().filter((word) => word.startsWith('done '))).toEqual(['done 1', 'done 2', 'done 3'])
  })

  it('does not prolong a pending approval', async () => {
    const { gateway, set, call, notes } = await gatewayWithClock({ approvals: { waitMs: 4_000 } })
    const waiting = call('1')
    const { id } = await pending(gateway)
    set(-hour)
    await beside(gateway.url, () => undefined)
    const outcome = await waiting
    expect(outcome.isError).toBe(true)
    expect((await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow' } })).status).toBe(409)
    expect(notes()).not.toContain('done 1')
  })

  it('keeps the audit log in the order of the calls', async () => {
    const { gateway, set } = await gatewayWithClock()
    const caller = await client(gateway.url)
    for (const ms of [0, hour, -hour, 0]) {
      set(ms)
      await beside(gateway.url, () => caller.call('good__sum', { a: 1, b: 1 }))
    }
    const calls = await doneBy<Call>(gateway, '?limit=1000')
    expect(calls).toHaveLength(4 * (goodCalls + 1))
    const sequences = calls.map(({ sequence }) => sequence)
    expect(sequences).toEqual([...sequences].sort((one, other) => other - one))
    const times = calls.map(({ at }) => at)
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(2 * hour - 60_000)
    expect(times).not.toEqual([...times].sort((one, other) => other - one))
    expect((await ask(gateway, '/audit/verify')).body).toMatchObject({ ok: true })
  })
})
