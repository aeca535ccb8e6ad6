import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { withinEach } from '../../src/policy/within.js'
import { expectAfter } from '../soak.js'

const never = new Promise<never>(() => undefined)

describe('waiting, but not for longer', () => {
  it('gives what comes in time, whatever that is', async () => {
    const within = withinEach(5_000)
    expect(await within(Promise.resolve('there'))).toBe('there')
    await expect(within(Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  })

  it('gives up on each when its own time is up', async () => {
    const within = withinEach(100)
    const began = performance.now()
    const first = within(never).catch(() => performance.now() - began)
    await wait(60)
    const second = within(never).catch(() => performance.now() - began)
    const [one, two] = await Promise.all([first, second])
    expectAfter(one, 99)
    expectAfter(two, 159)
    await expect(within(never)).rejects.toThrow('No answer within 100 ms')
  })
})
