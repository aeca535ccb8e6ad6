// Calls that become tasks on their way: those of another server's tools, where it is for servers to say what is one.
import { setImmediate as turn } from 'node:timers/promises'
import { Refusal, server, type TaskRecord, type TaskStore, type ToolResult } from 'toolwire'
import { relay } from 'toolwire/relay'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Policy } from '../../../src/guard.js'
import type { Context } from '../../../src/index.js'
import type { JsonObject } from '../../../src/json.js'
import type { ListedTool } from '../../../src/relay/index.js'
import '../../reported-faults.js'
import { judged } from '../../official-schemas.js'
import { able, accept, Rounder } from '../questions/rounds.js'
import { later, shared, type Task } from './tasks.js'

const extended = { ...able, extensions: { 'io.modelcontextprotocol/tasks': {} } }
const listed: ListedTool = { name: 'there', inputSchema: { type: 'object' } }
const text = (words: string): ToolResult => ({ content: [{ type: 'text', text: words }], isError: false })
const place = z.object({ place: z.string() })

type Options = { taskStore?: TaskStore; policies?: readonly Policy[]; longRunning?: 'optional' | 'required' }

const serving = (run: (ctx: Context) => Promise<ToolResult>, { longRunning = 'optional', ...more }: Options = {}) =>
  server({ name: 'here', version: '1', tools: { far: relay(listed, { longRunning, run: (_, ctx) => run(ctx) }) }, ...more })

const caller = (app: ReturnType<typeof serving>, capabilities: JsonObject = extended) => {
  const rounder = new Rounder(app, { capabilities })
  return {
    call: async (more: JsonObject = {}) => (await rounder.call('far', more)).result as Task,
    get: async (taskId: string) => (await rounder.send('tasks/get', { taskId })).result as Task,
    send: (method: string, params: JsonObject) => rounder.send(method, params),
  }
}

describe('a call that may become a task', () => {
  it('stays a call if it does not', async () => {
    expect(await caller(serving(async () => text('at once'))).call()).toMatchObject({ resultType: 'complete' })
  })

  it('TASKX-004 TASKX-005 is answered as soon as it does, and continues', async () => {
    const { promise, done } = later<string>()
    const store = shared()
    const one = caller(
      serving(
        async (ctx) => {
          ctx.promoteToTask?.()
          ctx.promoteToTask?.()
          return text(await promise)
        },
        { taskStore: store },
      ),
    )
    const { taskId, resultType, status } = await one.call()
    expect([resultType, status, store.records.size]).toEqual(['task', 'working', 1])
    expect(await one.get(taskId)).toMatchObject({ status: 'working' })
    done('at last')
    await expect.poll(() => one.get(taskId)).toMatchObject({ status: 'completed', result: { content: [{ text: 'at last' }] } })
  })

  it('TASKX-006 asks as a call before that, and as a task afterwards', async () => {
    let runs = 0
    const one = caller(
      serving(async (ctx) => {
        const first = await ctx.ask('from', 'Where from?', place)
        await ctx.once('run', () => {
          runs++
        })
        ctx.promoteToTask?.()
        const second = await ctx.ask('to', 'Where to?', place)
        return text(`${first.place} ${second.place}`)
      }),
    )
    const asked = (await one.call()) as JsonObject
    expect(asked).toMatchObject({ resultType: 'input_required', inputRequests: { from: {} } })
    const { requestState = '' } = asked
    const { taskId } = await one.call({ requestState, inputResponses: { from: accept({ place: 'Bonn' }) } })
    await expect.poll(() => one.get(taskId)).toMatchObject({ status: 'input_required', inputRequests: { to: {} } })
    await one.send('tasks/update', { taskId, inputResponses: { to: accept({ place: 'Rome' }) } })
    await expect.poll(() => one.get(taskId)).toMatchObject({ status: 'completed', result: { content: [{ text: 'Bonn Rome' }] } })
    expect(runs).toBe(1)
  })

  it('is cancelled as the task', async () => {
    const stopped = later<unknown>()
    const one = caller(
      serving(async (ctx) => {
        ctx.promoteToTask?.()
        return new Promise((_, reject) =>
          ctx.signal.addEventListener('abort', () => {
            stopped.done(ctx.signal.reason)
            reject(ctx.signal.reason)
          }),
        )
      }),
    )
    const { taskId } = await one.call()
    await one.send('tasks/cancel', { taskId })
    expect(await stopped.promise).toMatchObject({ message: 'The task was cancelled' })
    expect(await one.get(taskId)).toMatchObject({ status: 'cancelled' })
  })

  it('stays a call if the task cannot be stored, or if there are too many tasks', async () => {
    const broken: TaskStore = { get: () => undefined, put: () => Promise.reject(new Error('full')), list: () => [] }
    const begins = async (ctx: Context) => {
      ctx.promoteToTask?.()
      await turn()
      return text('at once')
    }
    expect(await caller(serving(begins, { taskStore: broken })).call()).toMatchObject({ resultType: 'complete' })

    const { promise, done } = later<string>()
    let count = 0
    const crowded = caller(
      serving(async (ctx) => {
        ctx.promoteToTask?.()
        return text(++count > 100 ? 'at once' : await promise)
      }),
    )
    const all: Task[] = []
    for (let made = 0; made < 101; made++) all.push(await crowded.call())
    expect(all.map(({ resultType }) => resultType)).toEqual([...Array(100).fill('task'), 'complete'])
    done('')
  })

  it('TASKX-001 never does for a client without the extension, even if the upstream server requires it', async () => {
    const seen: unknown[] = []
    const app = serving(
      async (ctx) => {
        seen.push(ctx.promoteToTask)
        return text('plain')
      },
      { longRunning: 'required' },
    )
    expect(await caller(app, able).call()).toMatchObject({ resultType: 'complete' })
    const t = await judged(app, { revision: '2025-06-18' })
    expect(await t.call('far')).toMatchObject({ content: [{ text: 'plain' }] })
    expect(seen).toEqual([undefined, undefined])
  })

  it('TASKL-004 is refused at 2025-11-25 if it must be a task, and is one from the start', async () => {
    const app = serving(
      async (ctx) => {
        ctx.promoteToTask?.()
        return text('done')
      },
      { longRunning: 'required' },
    )
    const t = await judged(app, { revision: '2025-11-25' })
    expect((await t.request('tools/list')).tools).toMatchObject([{ execution: { taskSupport: 'required' } }])
    await expect(t.call('far')).rejects.toMatchObject({ code: -32601 })
    const { task } = await t.request('tools/call', { name: 'far', task: {} })
    expect(task).toMatchObject({ status: 'working' })
  })
})

describe('a hidden tool', () => {
  const hiding: Policy = {
    name: 'hiding',
    list: () => [],
    call: ({ tool }) => Promise.reject(new Refusal('unknown-tool', `Unknown tool: ${tool.name}`)),
  }
  const records: TaskRecord[] = []
  const noting: TaskStore = { get: () => undefined, put: (record) => void records.push(record), list: () => [] }

  it('looks like an unknown one, even if a task is requested', async () => {
    const app = serving(async () => text(''), { policies: [hiding], taskStore: noting, longRunning: 'required' })
    const t = await judged(app, { revision: '2025-11-25' })
    for (const more of [{}, { task: {} }])
      for (const name of ['far', 'none'])
        await expect(t.request('tools/call', { name, ...more })).rejects.toMatchObject({ message: `Unknown tool: ${name}` })
    expect(records).toEqual([])
  })
})
