import type { JsonObject } from '../json.js'
import { lostTask, type TaskLease, type TaskLeases, type TaskNews, taskLeaseMs } from '../server/tasks/task-leases.js'
import { isOver, type TaskRecord, type TaskStore } from '../server/tasks/task-store.js'
import { forgetRows, hashOf, type RunSql, startTime, storable } from './database.js'

type TaskRow = { readonly record: string; readonly change: string }

/** The store in memory keeps as many for a caller, and as many bytes for each and for all. */
const mostEach = { count: 1_000, bytes: 16_777_216 }
const mostOfAll = { count: 100_000, bytes: 134_217_728 }
const bytes = 'octet_length(record) + octet_length(change)'
const lease = `clock_timestamp() + interval '${taskLeaseMs} milliseconds'`

/** Marks tasks as failed whose replica has not renewed its lease. The first replica to ask does so. */
const lose = (which: string) => `
UPDATE toolwire.shared_tasks SET over = true, token = token + 1, change = $2
WHERE ${which} AND NOT over AND leased_until < clock_timestamp()
RETURNING id, record, change, created_at
`

const get = `
WITH lost AS (${lose('id = $1')})
SELECT record, change FROM lost
UNION ALL
SELECT record, change FROM toolwire.shared_tasks
WHERE id = $1 AND keep_until > clock_timestamp() AND NOT EXISTS (SELECT FROM lost)
`

/** The newest tasks of a caller, without what may be long. A change that an earlier version wrote has no line break. */
const list = `
WITH lost AS (${lose(`owner = ${hashOf('$1')}`)})
SELECT record, CASE WHEN change LIKE E'%,\\n%' THEN split_part(change, E',\\n', 1) || '}' ELSE change END AS change FROM (
  SELECT id, record, change, created_at FROM lost
  UNION ALL
  SELECT id, record, change, created_at FROM toolwire.shared_tasks
  WHERE owner = ${hashOf('$1')} AND keep_until > clock_timestamp() AND id NOT IN (SELECT id FROM lost)
) AS found ORDER BY created_at DESC, id DESC LIMIT ${mostEach.count}
`

/** Removes the oldest finished tasks of the caller who stores `text` for task $1. Running tasks count first, and always stay. */
const makeRoom = (owner: string, text: string) => `
DELETE FROM toolwire.shared_tasks WHERE id IN (
  SELECT id FROM toolwire.shared_tasks WHERE id IN (
    SELECT id FROM (
      SELECT id, over, count(*) OVER kept AS count, octet_length(${text}) + sum(${bytes}) OVER kept AS bytes
      FROM toolwire.shared_tasks WHERE owner = ${owner} AND id <> $1
      WINDOW kept AS (ORDER BY over, created_at DESC, id DESC)
    ) AS ranked WHERE over AND (count >= ${mostEach.count} OR bytes > ${mostEach.bytes})
  ) FOR UPDATE SKIP LOCKED
)`

const begin = `
WITH room AS (${makeRoom(hashOf('$2'), '$4::text')})
INSERT INTO toolwire.shared_tasks (id, owner, leased_until, keep_until, record, over)
VALUES ($1, ${hashOf('$2')}, ${lease}, clock_timestamp() + $3::float8 * interval '1 millisecond', $4, $5::boolean)
RETURNING token::float8 AS token
`

const write = `
WITH written AS (
  UPDATE toolwire.shared_tasks SET over = $4::boolean, change = $3, leased_until = ${lease}
  WHERE id = $1 AND token = $2::bigint AND NOT over
  RETURNING owner
), room AS (${makeRoom('(SELECT owner FROM written WHERE $4::boolean)', '$3::text')})
SELECT 1 FROM written
`

/** A task whose lease has expired has failed, and can no longer be cancelled. */
const end = `
UPDATE toolwire.shared_tasks SET over = true, token = token + 1, change = $2
WHERE id = $1 AND NOT over AND leased_until >= clock_timestamp()
RETURNING 1
`

const answer = `
INSERT INTO toolwire.shared_task_answers (task, key, answer)
SELECT $1, key, answer FROM json_to_recordset($2::json) AS given(key text, answer text)
WHERE EXISTS (SELECT FROM toolwire.shared_tasks WHERE id = $1 AND NOT over)
ON CONFLICT DO NOTHING
`

const held = 'json_to_recordset($1::json) AS held("taskId" text, token bigint)'

const look = `
SELECT held."taskId" AS id, task.id IS NOT NULL AS held, coalesce((
  SELECT json_agg(json_build_object('key', key, 'answer', answer)) FROM toolwire.shared_task_answers WHERE task = task.id
)::text, '[]') AS answers
FROM ${held} LEFT JOIN toolwire.shared_tasks AS task ON task.id = held."taskId" AND task.token = held.token AND NOT task.over
WHERE task.id IS NULL OR EXISTS (SELECT FROM toolwire.shared_task_answers WHERE task = task.id)
`

const renew = `
UPDATE toolwire.shared_tasks AS task SET leased_until = ${lease}
FROM ${held} WHERE task.id = held."taskId" AND task.token = held.token AND NOT task.over
`

export const forgetTasks = forgetRows('shared_tasks', 'id', `keep_until < ${startTime}`)

/** Removes the oldest finished tasks if those of all callers are too many. */
export const forgetExcessTasks = forgetRows(
  'shared_tasks',
  'id',
  `id IN (
    SELECT id FROM (
      SELECT id, count(*) OVER newest AS count, sum(${bytes}) OVER newest AS bytes
      FROM toolwire.shared_tasks WHERE over WINDOW newest AS (ORDER BY created_at DESC, id DESC)
    ) AS ranked WHERE count > ${mostOfAll.count} OR bytes > ${mostOfAll.bytes}
  )`,
)

/** Tasks as JSON texts, in which a NUL is escaped. The changing part of a record is stored apart from the fixed part. */
export function sharedTasks(sql: RunSql): TaskStore {
  const begun = async (record: TaskRecord): Promise<TaskLease> => {
    const { taskId, owner, ttlMs, status } = record
    const [row] = await sql<{ token: number }>(begin, [taskId, storable(owner), ttlMs, JSON.stringify(record), isOver(status)])
    return { taskId, token: Number(row?.token) }
  }
  const leases: TaskLeases = {
    begin: begun,
    write: async (record, { taskId, token }) =>
      (await sql(write, [taskId, token, changeOf(record), isOver(record.status)])).length === 1,
    end: async (record) => (await sql(end, [record.taskId, changeOf(record)])).length === 1,
    async answer(taskId, answers) {
      const given = Object.entries(answers).map(([key, one]) => ({ key: JSON.stringify(key), answer: JSON.stringify(one) }))
      if (given.length > 0) await sql(answer, [taskId, JSON.stringify(given)])
    },
    async look(all) {
      const rows = await sql<{ id: string; held: boolean; answers: string }>(look, [JSON.stringify(all)])
      return rows.map(({ id, held: isHeld, answers }): TaskNews => ({ taskId: id, held: isHeld, answers: answersIn(answers) }))
    },
    async renew(all) {
      await sql(renew, [JSON.stringify(all)])
    },
  }
  return {
    leases,
    async put(record) {
      await begun(record)
    },
    async get(taskId) {
      const [row] = await sql<TaskRow>(get, [taskId, lostNow()])
      return row && recordIn(row)
    },
    list: async (owner) => (await sql<TaskRow>(list, [storable(owner), lostNow()])).map(recordIn).reverse(),
  }
}

const lostNow = () => JSON.stringify({ ...lostTask, lastUpdatedAt: new Date().toISOString() })

/** One JSON text, with a line break before the members that may be long. */
function changeOf({ status, statusMessage, lastUpdatedAt, questions, outcome }: TaskRecord): string {
  const head = JSON.stringify({ status, statusMessage, lastUpdatedAt })
  return `${head.slice(0, -1)},\n${JSON.stringify({ questions, outcome }).slice(1)}`
}

const recordIn = ({ record, change }: TaskRow): TaskRecord => ({ ...JSON.parse(record), ...JSON.parse(change) })

function answersIn(text: string): Record<string, JsonObject> {
  const given = JSON.parse(text) as { key: string; answer: string }[]
  return Object.fromEntries(given.map(({ key, answer: one }) => [JSON.parse(key) as string, JSON.parse(one) as JsonObject]))
}
