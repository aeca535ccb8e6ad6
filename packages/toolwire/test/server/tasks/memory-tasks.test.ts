// The number of tasks in memory, and their lifetime.

import { afterEach, describe, expect, it, vi } from 'vitest'
import { memoryTasks, type TaskRecord } from '../../../src/server/tasks/task-store.js'
import { record, taskRoomSuite } from './task-room-suite.js'

const mostEach = { count: 3, bytes: 200 }
const mostOfAll = { count: 5, bytes: 1_000 }
afterEach(() => vi.useRealTimers())

const idsOf = (store: ReturnType<typeof memoryTasks>, owner = 'ada') =>
  (store.list(owner) as readonly TaskRecord[]).map(({ taskId }) => taskId)

describe('tasks', () => {
  it('TASKL-019 of one caller are evicted from the oldest on, but never while they run', () => {
    const store = memoryTasks(mostEach, mostOfAll)
    void store.put(record('a', { status: 'working' }))
    for (const id of ['b', 'c', 'd', 'e']) void store.put(record(id))
    expect(idsOf(store)).toEqual(['a', 'd', 'e'])
    for (const id of ['f', 'g', 'h', 'i']) void store.put(record(id, { status: 'input_required' }))
    expect(idsOf(store)).toEqual(['a', 'f', 'g', 'h', 'i'])
  })

  it('of one caller do not evict those of another, until the total is too large', () => {
    const store = memoryTasks(mostEach, mostOfAll)
    void store.put(record('b1', { owner: 'bob' }))
    for (const id of ['a1', 'a2', 'a3', 'a4']) void store.put(record(id))
    expect(idsOf(store, 'bob')).toEqual(['b1'])
    for (const id of ['c1', 'c2', 'c3']) void store.put(record(id, { owner: 'cy' }))
    expect(['bob', 'ada', 'cy'].flatMap((owner) => idsOf(store, owner))).toHaveLength(5)
    expect(store.get('b1')).toBeUndefined()
  })

  taskRoomSuite(memoryTasks)

  it('with large results are fewer', () => {
    const store = memoryTasks(mostEach, mostOfAll)
    const outcome = { result: { content: [{ type: 'text' as const, text: 'x'.repeat(100) }], isError: false } }
    for (const id of ['a', 'b', 'c']) void store.put(record(id, { outcome }))
    expect(idsOf(store)).toEqual(['c'])
  })

  it('whose result alone exceeds the limit stay until the next one ends', () => {
    const store = memoryTasks(mostEach, mostOfAll)
    const outcome = { result: { content: [{ type: 'text' as const, text: 'x'.repeat(2_000) }], isError: false } }
    void store.put(record('a', { outcome }))
    expect(idsOf(store)).toEqual(['a'])
    void store.put(record('b'))
    expect(idsOf(store)).toEqual(['b'])
  })

  it('TASKL-012 are deleted when their ttl is over, however late they end', () => {
    vi.useFakeTimers()
    const store = memoryTasks()
    const running = record('a', { status: 'working' })
    void store.put(running)
    vi.advanceTimersByTime(59_999)
    expect(store.get('a')).toBe(running)
    vi.advanceTimersByTime(1)
    expect(store.get('a')).toBeUndefined()
    void store.put({ ...running, status: 'failed' })
    vi.advanceTimersByTime(1)
    expect(store.get('a')).toBeUndefined()
  })
})
