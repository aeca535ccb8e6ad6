import { expect, it, onTestFinished } from 'vitest'
import { followReplicas } from '../../src/lifecycle/follow-replicas.js'
import type { Fleet } from '../../src/store/store.js'

const replica = (id: string) => ({ id, name: id, version: '1', address: `http://${id}`, startedAt: 0, seenAt: 0 })

it('looks for replicas once at a time, and each look begins after it was asked for', async () => {
  const alive = [replica('one')]
  let looks = 0
  const open: (() => void)[] = []
  const replicas = async () => {
    looks++
    const found = [...alive]
    await new Promise<void>((resolve) => open.push(resolve))
    return found
  }
  const list = followReplicas({ id: 'self', replicas, announce: async () => undefined } as unknown as Fleet)
  onTestFinished(() => list.close())
  const early = list.refresh?.()
  alive.push(replica('two'))
  const late = Array.from({ length: 100 }, () => list.refresh?.())
  expect(looks).toBe(1)
  open.shift()?.()
  await early
  expect(list.all().map(({ id }) => id)).toEqual(['one'])
  await expect.poll(() => open.length).toBe(1)
  open.shift()?.()
  await Promise.all(late)
  expect(list.all().map(({ id }) => id)).toEqual(['one', 'two'])
  expect(looks).toBe(2)
})
