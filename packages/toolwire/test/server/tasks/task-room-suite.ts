// The number of tasks of a caller that every store keeps.
import { expect, it } from 'vitest'
import type { TaskRecord, TaskStore } from '../../../src/server/tasks/task-store.js'

export const record = (taskId: string, more: Partial<TaskRecord> = {}): TaskRecord => {
  const now = new Date().toISOString()
  const about = { owner: 'ada', tool: 'wait', wrapped: false, createdAt: now, lastUpdatedAt: now, ttlMs: 60_000 }
  return { ...about, taskId, status: 'completed', questions: {}, ...more }
}

/** A finished task with a result of one mebibyte. */
export const large = (taskId: string, owner: string): TaskRecord =>
  record(taskId, { owner, outcome: { result: { content: [{ type: 'text', text: 'x'.repeat(1_048_576) }], isError: false } } })

const idsOf = async (store: TaskStore, owner: string) => (await store.list(owner)).map(({ taskId }) => taskId)

export function taskRoomSuite(open: () => TaskStore): void {
  it('TASKL-019 of a caller with very many or very large results are evicted, but not those of others or running ones', async () => {
    const store = open()
    await store.put(record('only'))
    await store.put(record('running', { owner: 'eve', status: 'working' }))
    for (let at = 0; at < 1_100; at++) await store.put(record(`many ${at}`, { owner: 'eve' }))
    const many = await idsOf(store, 'eve')
    expect([many.length, many[0], many[1], await idsOf(store, 'ada')]).toEqual([1_000, 'running', 'many 101', ['only']])
    for (let at = 0; at < 20; at++) await store.put(large(`large ${at}`, 'bob'))
    expect([(await idsOf(store, 'bob')).length, await idsOf(store, 'ada')]).toEqual([15, ['only']])
  })
}
