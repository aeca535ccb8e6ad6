// Tools that run as long as a test wants.
import { reply, server, type TaskRecord, type TaskStore, ToolError, tool } from 'toolwire'
import { vi } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../../../src/json.js'
import { ProtocolError } from '../../../src/jsonrpc/error.js'

export type Task = JsonObject & { taskId: string; status: string }

/** The task, as soon as it has such a status. */
export function become({ get }: { get(taskId: string): Promise<Task> }, taskId: string, status: RegExp): Promise<Task> {
  const look = async () => {
    const task = await get(taskId)
    return status.test(task.status) && task
  }
  return vi.waitUntil(look, 60_000)
}

/** A promise, and the function that resolves it. */
export function later<T>() {
  const settle: ((value: T) => void)[] = []
  const promise = new Promise<T>((resolve) => void settle.push(resolve))
  return { promise, done: (value: T) => settle[0]?.(value) }
}

/** A server with a tool that waits for a signal from the test, and others that end in every possible way. */
export function working(options: { taskStore?: TaskStore } = {}) {
  const { promise, done } = later<string>()
  const aborted: unknown[] = []
  const name = z.object({ name: z.string() })
  const longRunning = 'optional'
  const description = 'Works'
  const tools = {
    wait: tool({
      description,
      longRunning,
      run: (_, ctx) => {
        ctx.signal.addEventListener('abort', () => aborted.push(ctx.signal.reason))
        return promise
      },
    }),
    add: tool({
      description,
      longRunning,
      input: z.object({ a: z.number() }),
      output: z.object({ sum: z.number() }),
      run: ({ a }) => ({ sum: a + 1 }),
    }),
    fails: tool({ description, longRunning, run: () => Promise.reject(new ToolError('No paper')) }),
    says: tool({ description, longRunning, run: () => reply.error('Out of ink') }),
    breaks: tool({
      description,
      longRunning,
      run: () => Promise.reject(new ProtocolError(-32602, 'Broken', { data: { part: 'wheel' } })),
    }),
    greet: tool({ description, longRunning, run: async (_, ctx) => `Hello ${(await ctx.ask('who', 'Who?', name)).name}` }),
    pair: tool({
      description,
      longRunning,
      run: async (_, ctx) => {
        const [a, b] = await Promise.all([ctx.ask('who', 'First?', name), ctx.ask('whom', 'Second?', name)])
        return `${a.name} and ${b.name}`
      },
    }),
    twice: tool({
      description,
      longRunning,
      run: async (_, ctx) => `${(await ctx.ask('who', 'Once?', name)).name} ${(await ctx.ask('who', 'Again?', name)).name}`,
    }),
    talks: tool({
      description,
      longRunning,
      run: async (_, ctx) => {
        await promise
        ctx.progress(1, 2)
        ctx.log.error('hm')
        return 'talked'
      },
    }),
    only: tool({ description, longRunning: 'required', run: () => 'only as a task' }),
    plain: tool({ description, run: () => 'plain' }),
  }
  return { done, aborted, app: server({ name: 'tasks', version: '1', tools, logging: true, ...options }) }
}

/** A store that keeps copies, as a shared one must. */
export function shared(): TaskStore & { readonly records: ReadonlyMap<string, string> } {
  const records = new Map<string, string>()
  const read = (text: string) => JSON.parse(text) as TaskRecord
  return {
    records,
    get: async (taskId) => {
      const text = records.get(taskId)
      return text === undefined ? undefined : read(text)
    },
    put: async (record) => {
      await new Promise((resolve) => setTimeout(resolve, 1))
      records.set(record.taskId, JSON.stringify(record))
    },
    list: async (owner) => [...records.values()].map(read).filter((record) => record.owner === owner),
  }
}
