// Callers that create tasks, in both styles of revisions.
import type { JsonObject } from 'toolwire'
import type { Client } from 'toolwire/client'
import { until } from '../../../toolwire/test/waiting.js'
import type { Upstream } from '../../src/upstreams/upstream.js'
import { taskApp } from '../programs/task-server.mjs'
import { child, http, listening, modern, program, upstream, words } from './upstream-fixture.js'

/** The revisions that have tasks. */
export const tasking = ['2025-11-25', modern] as const
export const pairs = tasking.flatMap((server) => tasking.map((caller) => ({ server, caller })))

/** The server with tasks as a child process, which can be killed. */
export const tasksOnPipe = (revision: string): Upstream => upstream('tasks', child(program('task-child.mjs'), revision))

/** The same server over HTTP, in this process. */
export const tasks = async (revision: string): Promise<Upstream> =>
  upstream('tasks', http((await listening(taskApp(revision))).url))

export type TaskState = JsonObject & { readonly taskId: string; readonly status: string }

/** Calls a tool as a task, and returns the raw answer. */
export const called = (client: Client, name: string, more: JsonObject = {}): Promise<JsonObject> =>
  client.request('tools/call', {
    name: `tasks__${name}`,
    arguments: {},
    ...(client.server.revision !== modern && { task: {} }),
    ...more,
  })

export async function createTask(client: Client, name: string, more: JsonObject = {}): Promise<TaskState> {
  const answer = await called(client, name, more)
  const task = (client.server.revision === modern ? answer : answer.task) as TaskState | undefined
  if (typeof task?.taskId !== 'string') throw new Error(`No task: ${JSON.stringify(answer)}`)
  return task
}

export const getTask = async (client: Client, taskId: string): Promise<TaskState> =>
  (await client.request('tasks/get', { taskId })) as TaskState

/** Polls until the task has this status, and returns it. */
export const taskInStatus = (client: Client, taskId: string, status: string): Promise<TaskState> =>
  until(async () => {
    const task = await getTask(client, taskId)
    return task.status === status && task
  })

/** The result of the call, after the task has ended. */
export const taskResult = async (client: Client, task: TaskState): Promise<JsonObject> =>
  client.server.revision === modern
    ? (task.result as JsonObject)
    : client.request('tasks/result', { taskId: task.taskId }, { totalMs: 60_000 })

export const counts = async (client: Client, tool = 'tasks__counts'): Promise<Record<string, number>> =>
  JSON.parse(words(await client.call(tool))) as Record<string, number>
