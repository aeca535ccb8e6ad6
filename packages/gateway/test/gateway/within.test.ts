import { describe, expect, it } from 'vitest'
import { rid } from '../../../toolwire/test/garbage.js'
import { within } from '../../src/gateway/within.js'

describe('within some time', () => {
  it('is over after it, though garbage was collected', async () => {
    const over = heard(within(new AbortController().signal, 200))
    await rid()
    expect(await over).toMatchObject({ name: 'TimeoutError' })
  })

  it('is over with the given signal', async () => {
    const left = new AbortController()
    const over = heard(within(left.signal, 60_000))
    await rid()
    left.abort('left')
    expect(await over).toBe('left')
    expect(within(left.signal, 60_000).aborted).toBe(true)
  })
})

const heard = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)))
