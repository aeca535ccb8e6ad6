// Stores tasks of callers until they expire, within limits, because results can be large and not every caller fetches them.
import type { TaskRecord, TaskStore } from 'toolwire'

type TaskLimits = { readonly count: number; readonly bytes: number }
type StoredTask = { readonly record: TaskRecord; readonly timer: ReturnType<typeof setTimeout>; bytes: number }

const roomForEach: TaskLimits = { count: 200, bytes: 16_777_216 }
const roomForAll: TaskLimits = { count: 5_000, bytes: 134_217_728 }

/** A task store with limits. Running tasks always stay, because they are limited elsewhere; of the others, the oldest are removed first. */
export function boundedTaskStore(each: TaskLimits = roomForEach, all: TaskLimits = roomForAll): TaskStore {
  const kept = new Map<string, StoredTask>()
  const of = (owner: string) => [...kept.values()].filter(({ record }) => record.owner === owner)
  const forget = ({ record, timer }: StoredTask) => {
    clearTimeout(timer)
    kept.delete(record.taskId)
  }
  const keep = (record: TaskRecord): StoredTask => {
    const leftMs = Date.parse(record.createdAt) + record.ttlMs - Date.now()
    const timer = setTimeout(() => kept.delete(record.taskId), leftMs)
    timer.unref()
    const made = { record, timer, bytes: 0 }
    kept.set(record.taskId, made)
    return made
  }
  return {
    get: (taskId) => kept.get(taskId)?.record,
    put(record) {
      const entry = kept.get(record.taskId) ?? keep(record)
      entry.bytes = record.outcome ? JSON.stringify(record.outcome).length : 0
      for (const one of tasksToRemove(each, of(record.owner))) forget(one)
      for (const one of tasksToRemove(all, [...kept.values()])) forget(one)
    },
    list: (owner) => of(owner).map(({ record }) => record),
  }
}

/** The finished tasks beyond the limits, oldest first. */
function tasksToRemove(room: TaskLimits, kept: readonly StoredTask[]): readonly StoredTask[] {
  let { length: count } = kept
  let bytes = kept.reduce((sum, one) => sum + one.bytes, 0)
  const gone: StoredTask[] = []
  for (const one of kept) {
    if (count <= room.count && bytes <= room.bytes) break
    if (one.record.status === 'working' || one.record.status === 'input_required') continue
    gone.push(one)
    count--
    bytes -= one.bytes
  }
  return gone
}
