// Leases on tasks that run here, with a slow store that replicas share.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { RunningTask } from '../../../src/server/tasks/running-task.js'
import type { TaskLeases } from '../../../src/server/tasks/task-leases.js'
import type { TaskStore } from '../../../src/server/tasks/task-store.js'
import { ServerTasks } from '../../../src/server/tasks/tasks.js'
import { memorySharedTasks } from '../../postgres/memory-stores.js'
import { faults } from '../../reported-faults.js'
import { able, Rounder } from '../questions/rounds.js'
import { type Task, working } from './tasks.js'

const after = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const capabilities = { ...able, extensions: { 'io.modelcontextprotocol/tasks': {} } }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Slow = (leases: TaskLeases) => Partial<TaskLeases>

/** A replica of a store with slow leases, and the times of the renewals that succeeded. */
function replica(slow: Slow, now?: () => number) {
  const memory = memorySharedTasks(now)
  const leases = { ...(memory.leases as TaskLeases) }
  const kept: number[] = []
  const begin: TaskLeases['begin'] = (record) => {
    kept.push(performance.now())
    return leases.begin(record)
  }
  const renew: TaskLeases['renew'] = async (held) => {
    await leases.renew(held)
    kept.push(performance.now())
  }
  const renewing = { ...leases, begin, renew }
  const taskStore: TaskStore = { ...memory, leases: { ...renewing, ...slow(renewing) } }
  const { app, done } = working({ taskStore })
  const rounder = new Rounder(app, { caller: { id: 'ada' }, capabilities })
  return {
    done,
    longestGap: () => Math.max(...kept.slice(1).map((at, index) => at - (kept[index] ?? at))),
    start: async () => ((await rounder.call('wait', { arguments: {} })).result as Task).taskId,
    status: async (taskId: string) => ((await rounder.send('tasks/get', { taskId })).result as Task).status,
    stored: async (taskId: string) => (await memory.get(taskId))?.status,
    /** Ends the task, so that its timers end. */
    end: async (taskId: string) => {
      done('done')
      await vi.waitUntil(async () => (await memory.get(taskId))?.status === 'completed', 60_000)
    },
  }
}

it('are renewed in time, although each look for answers takes long', async () => {
  const one = replica(({ look }) => ({
    look: async (held) => {
      await after(1_300)
      return look(held)
    },
  }))
  const taskId = await one.start()
  for (let second = 0; second < 60; second++) {
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await one.stored(taskId)).toBe('working')
  }
  expect(one.longestGap()).toBeLessThan(5_000)
  await one.end(taskId)
})

it('are renewed again at once after a renewal that has failed late', async () => {
  let renewals = 0
  const one = replica(({ renew }) => ({
    renew: async (held) => {
      if (++renewals % 2 === 0) return renew(held)
      await after(4_000)
      throw new Error('PostgreSQL has not answered for 4 s')
    },
  }))
  const taskId = await one.start()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(one.longestGap()).toBeLessThan(9_000)
  expect(await one.stored(taskId)).toBe('working')
  expect(faults.length).toBeGreaterThan(0)
  await one.end(taskId)
})

it('do not expire when the replica that runs a task reads it', async () => {
  let aheadMs = 0
  const one = replica(
    () => ({}),
    () => performance.now() + aheadMs,
  )
  const taskId = await one.start()
  aheadMs += 11_000
  expect(await one.status(taskId)).toBe('working')
  await one.end(taskId)
})

it('do not expire when the replica that runs a task lists those of its caller', async () => {
  let aheadMs = 0
  const store = memorySharedTasks(() => performance.now() + aheadMs)
  const tasks = new ServerTasks(store, () => undefined)
  const now = new Date().toISOString()
  const about = { tool: 'wait', wrapped: false, createdAt: now, lastUpdatedAt: now, ttlMs: 60_000, questions: {} }
  for (const owner of ['ada', 'bob'])
    await tasks.keep(new RunningTask(tasks, { ...about, status: 'working', taskId: owner, owner }))
  aheadMs += 11_000
  expect((await tasks.list('ada')).map(({ status }) => status)).toEqual(['working'])
  tasks.running.clear()
})
