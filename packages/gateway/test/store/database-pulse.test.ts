import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { databasePulse, type Pulse } from '../../src/store/postgres/pulse.js'
import { StoreFailure } from '../../src/store/store-failure.js'

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** A beat may be under way. */
const stopped = (pulse: Pulse) => Promise.all([pulse.stop(), vi.advanceTimersByTimeAsync(100)])

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A database whose first beat takes four seconds, and whose values take five to read again. */
function slowDatabase({ rereads = [5_000] }: { rereads?: readonly (number | Error)[] } = {}) {
  const state = { beats: 0, rereads: 0, atOnce: 0, mostAtOnce: 0 }
  const reported: (string | undefined)[] = []
  const pulse = databasePulse({
    beat: () => after(state.beats++ === 0 ? 4_000 : 10),
    async recovered() {
      const reread = rereads[Math.min(state.rereads++, rereads.length - 1)]
      state.mostAtOnce = Math.max(state.mostAtOnce, ++state.atOnce)
      try {
        await after(typeof reread === 'number' ? reread : 100)
        if (typeof reread !== 'number') throw reread
      } finally {
        state.atOnce--
      }
    },
    onChange: (trouble) => void reported.push(trouble?.message),
  })
  return { pulse, state, reported }
}

it('recovers after an outage, although it takes longer than a beat to read everything again', async () => {
  const { pulse, state, reported } = slowDatabase()
  void pulse.look()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(pulse.trouble?.message).toContain('PostgreSQL has not answered for 3.5 s')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(pulse.trouble).toBeUndefined()
  expect(reported).toEqual([expect.any(String), undefined])
  expect(state).toMatchObject({ rereads: 1, mostAtOnce: 1 })
  await stopped(pulse)
})

it('sends heartbeats while it reads everything again', async () => {
  const { pulse, state } = slowDatabase({ rereads: [60_000] })
  void pulse.look()
  await vi.advanceTimersByTimeAsync(30_000)
  expect(state).toMatchObject({ rereads: 1, mostAtOnce: 1 })
  expect(state.beats).toBeGreaterThan(20)
  expect(pulse.trouble).toBeDefined()
  await stopped(pulse)
})

it('reads everything again if that failed, and recovers then', async () => {
  const { pulse, state, reported } = slowDatabase({ rereads: [new StoreFailure('silent', 'POSTGRES_SILENT'), 5_000] })
  void pulse.look()
  await vi.advanceTimersByTimeAsync(15_000)
  expect(pulse.trouble).toBeUndefined()
  expect(reported).toHaveLength(2)
  expect(state).toMatchObject({ rereads: 2, mostAtOnce: 1 })
  await stopped(pulse)
})

it('does not recover while a heartbeat fails', async () => {
  let isAway = false
  const pulse = databasePulse({
    beat: async () => {
      await after(10)
      if (isAway) throw new StoreFailure('away', 'POSTGRES')
    },
    recovered: () => after(1_000),
    onChange: () => undefined,
  })
  isAway = true
  await Promise.all([pulse.look(), vi.advanceTimersByTimeAsync(100)])
  isAway = false
  await Promise.all([pulse.look(), vi.advanceTimersByTimeAsync(100)])
  isAway = true
  await vi.advanceTimersByTimeAsync(5_000)
  expect(pulse.trouble?.message).toContain('away')
  isAway = false
  await vi.advanceTimersByTimeAsync(5_000)
  expect(pulse.trouble).toBeUndefined()
  await stopped(pulse)
})
