import { expect, it } from 'vitest'
import { boundedTurns } from '../../../src/store/postgres/bounded-turns.js'

it('runs a job behind thousands that were cancelled while they waited', async () => {
  const turns = boundedTurns(1)
  let end: (() => void) | undefined
  const running = turns(
    () =>
      new Promise<void>((resolve) => {
        end = resolve
      }),
  )
  const ran: number[] = []
  const others = Array.from({ length: 20_000 }, (_, n) => turns(async () => void ran.push(n)))
  const last = turns(async () => 'done')
  for (const { giveUp } of others) giveUp()
  const ends = Promise.allSettled(others.map(({ done }) => done))
  end?.()
  await running.done
  expect(await last.done).toBe('done')
  expect(new Set((await ends).map(({ status }) => status))).toEqual(new Set(['rejected']))
  expect(ran).toEqual([])
})

it('says when a job begins, and gives up none that has begun', async () => {
  const turns = boundedTurns(1)
  let end: (() => void) | undefined
  const running = turns(
    () =>
      new Promise<void>((resolve) => {
        end = resolve
      }),
  )
  expect(running.begun).toBeUndefined()
  expect(running.giveUp()).toBe(false)
  const next = turns(async () => 'done')
  let hasBegun = false
  void next.begun?.then(() => {
    hasBegun = true
  })
  await new Promise(setImmediate)
  expect(hasBegun).toBe(false)
  end?.()
  expect(await next.done).toBe('done')
  expect(hasBegun).toBe(true)
  expect(next.giveUp()).toBe(false)
})
