import { setImmediate as turn } from 'node:timers/promises'
import { type Context, server, type TaskRecord, tool } from 'toolwire'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../../../src/json.js'
import { readMessage, type SingleMessage } from '../../../src/jsonrpc/read-message.js'
import { Conversation } from '../../../src/peer/conversation.js'
import { isOver, memoryTasks } from '../../../src/server/tasks/task-store.js'
import type { Answers } from '../../../src/testing/answer-question.js'
import { type Caller, localUser } from '../../../src/tools/caller.js'
import { judged } from '../../official-schemas.js'
import { faults } from '../../reported-faults.js'
import { expectWithin } from '../../soak.js'
import { become, later, shared, type Task, working } from './tasks.js'

const revision = '2025-11-25'
const related = 'io.modelcontextprotocol/related-task'
afterEach(() => void vi.useRealTimers())

type Options = { caller?: Partial<Caller>; answers?: Answers; lenient?: boolean }

/** A client with the given options for tasks. */
async function client(app: Parameters<typeof judged>[0], { caller = {}, answers = {}, lenient = false }: Options = {}) {
  const t = await judged(app, { revision, caller, answers, lenient })
  return Object.assign(t, {
    start: async (name: string, args: JsonObject = {}, task: JsonObject = {}) =>
      (await t.call(name, args, { task })).task as Task,
    get: (taskId: string) => t.request('tasks/get', { taskId }) as Promise<Task>,
    result: (taskId: string) => t.request('tasks/result', { taskId }),
    cancel: (taskId: string) => t.request('tasks/cancel', { taskId }) as Promise<Task>,
    opened: () => (t.frames[1]?.message.result as JsonObject).capabilities as JsonObject,
  })
}

/** A task of the tool `greet` without a channel for server requests. */
async function overLine(app: Parameters<typeof judged>[0]) {
  const conversation = new Conversation({ id: 'ada', scopes: [] })
  const sent: JsonObject[] = []
  const tell = async (message: JsonObject, twoWay = true): Promise<JsonObject> => {
    const send = (text: string) => void (twoWay && sent.push(JSON.parse(text)))
    const read = readMessage(JSON.stringify({ jsonrpc: '2.0', ...message })) as SingleMessage
    const answer = await app['~application'].receive(read, conversation, { send, header: undefined, hangUp: undefined, twoWay })
    return answer ? JSON.parse(String(answer.body)) : {}
  }
  const about = { protocolVersion: revision, capabilities: { elicitation: {} }, clientInfo: { name: 'c', version: '1' } }
  await tell({ id: 1, method: 'initialize', params: about })
  await tell({ method: 'notifications/initialized' })
  const { result } = await tell({ id: 2, method: 'tools/call', params: { name: 'greet', arguments: {}, task: {} } })
  return { tell, sent, params: { taskId: ((result as JsonObject).task as Task).taskId } }
}

describe('The capability', () => {
  it('TASKL-001 is declared before any task is created', async () => {
    await using t = await client(working().app)
    expect(t.opened().tasks).toEqual({ requests: { tools: { call: {} } }, list: {}, cancel: {} })
    expect(await t.start('wait')).toMatchObject({ status: 'working' })
  })

  it('TASKL-002 is required: without it, a call with the task parameter is an ordinary call', async () => {
    const plain = tool({ description: 'Plain', run: () => 'plain' })
    await using t = await client(server({ name: 'a', version: '1', tools: { plain } }))
    expect(t.opened()).not.toHaveProperty('tasks')
    expect(await t.call('plain', {}, { task: { ttl: 60_000 } })).toEqual({
      content: [{ type: 'text', text: 'plain' }],
      isError: false,
    })
    for (const method of ['tasks/get', 'tasks/list', 'tasks/result', 'tasks/cancel'])
      await expect(t.request(method, { taskId: 'x' })).rejects.toMatchObject({ code: -32601 })
  })

  it('TASKL-004 is required for a tool that only works as a task', async () => {
    await using t = await client(working().app)
    await expect(t.call('only')).rejects.toMatchObject({ code: -32601 })
    expect(await t.result((await t.start('only')).taskId)).toMatchObject({ content: [{ text: 'only as a task' }] })
  })

  it('RESULT-017 does not change the limit of a result, which becomes advice', async () => {
    const pour = tool({ description: 'Pours', longRunning: 'optional', run: () => 'é'.repeat(600) })
    await using t = await client(server({ name: 'a', version: '1', tools: { pour }, limits: { resultBytes: 1_000 } }))
    const { taskId } = await t.start('pour')
    const text = expect.stringMatching(/resultBytes/)
    expect(await t.result(taskId)).toMatchObject({ isError: true, content: [{ text }] })
  })

  it('TASKL-005 does not include a tool without task support, which refuses', async () => {
    await using t = await client(working().app)
    await expect(t.call('plain', {}, { task: {} })).rejects.toMatchObject({ code: -32601 })
    expect(await t.call('plain')).toMatchObject({ content: [{ text: 'plain' }] })
  })

  it('TASKL-015 excludes tasks/list if callers are anonymous', async () => {
    await using t = await client(working().app, { caller: { id: 'anonymous', anonymous: true, scopes: [] } })
    expect(t.opened().tasks).toEqual({ requests: { tools: { call: {} } }, cancel: {} })
    await t.start('wait')
    await expect(t.request('tasks/list')).rejects.toMatchObject({ code: -32601 })
  })
})

describe('A task', () => {
  it('TASKL-006 exists at once in the state working, when its tool has just begun', async () => {
    await using t = await client(working().app)
    const result = await t.call('wait', {}, { task: { ttl: 60_000 } })
    const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const task = {
      taskId: expect.any(String),
      status: 'working',
      createdAt: iso,
      lastUpdatedAt: iso,
      ttl: 60_000,
      pollInterval: expect.any(Number),
    }
    expect(result).toEqual({ task })
    expect(await t.get((result.task as Task).taskId)).toEqual(task)
  })

  it('TASKL-006 is created within 100 ms, however long its tool takes', async () => {
    await using t = await client(working().app)
    let quickest = Number.POSITIVE_INFINITY
    for (let round = 0; round < 3; round++) {
      const start = performance.now()
      await t.call('wait', {}, { task: { ttl: 60_000 } })
      quickest = Math.min(quickest, performance.now() - start)
    }
    expectWithin(quickest, 100)
  })

  it('TASKL-007 has a unique id that cannot be guessed', async () => {
    await using t = await client(working().app)
    const ids = new Set<string>()
    for (let at = 0; at < 500; at++) ids.add((await t.start('add', { a: at })).taskId)
    expect(ids.size).toBe(500)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(new Set([...ids].map((id) => id.slice(0, 8))).size).toBeGreaterThan(495)
  })

  it.each([
    'wait',
    'add',
    'fails',
    'breaks',
    'greet',
    'pair',
  ])('TASKL-008 of %s only changes state as permitted, for any sequence of operations', async (name) => {
    const allowed: Record<string, string[]> = {
      working: ['working', 'input_required', 'completed', 'failed', 'cancelled'],
      input_required: ['input_required', 'working', 'completed', 'failed', 'cancelled'],
      completed: ['completed'],
      failed: ['failed'],
      cancelled: ['cancelled'],
    }
    for (const act of ['let be', 'cancel at once', 'cancel later', 'finish and cancel']) {
      const seen: string[] = []
      const kept = memoryTasks()
      const put = (record: TaskRecord) => {
        seen.push(record.status)
        return kept.put(record)
      }
      const { app, done } = working({ taskStore: { ...kept, put } })
      await using t = await client(app, { answers: { who: { name: 'Ada' }, whom: { name: 'Bob' } } })
      const { taskId } = await t.start(name, name === 'add' ? { a: 1 } : {})
      const cancel = () => t.cancel(taskId).catch(() => undefined)
      if (act === 'cancel at once') await cancel()
      if (act === 'finish and cancel') done('done')
      await turn()
      if (act !== 'let be') await cancel()
      done('done')
      await turn()
      await cancel()
      expect(seen[0]).toBe('working')
      for (const [at, status] of seen.entries()) expect(allowed[seen[at - 1] ?? 'working']).toContain(status)
      expect(seen.filter((status) => isOver(status as TaskRecord['status']))).toHaveLength(1)
      expect((await t.get(taskId)).status).toBe(seen.at(-1))
    }
  })

  it.each([
    ['add', { a: 1 }],
    ['fails', {}],
    ['says', {}],
    ['add', { a: 'one' }],
  ])('TASKL-009 %s %j ends like the plain call, and names the task', async (name, args) => {
    await using t = await client(working().app)
    const plain = await t.call(name, args)
    const { taskId } = await t.start(name, args)
    const { _meta, ...result } = await t.result(taskId)
    expect(result).toEqual(plain)
    expect(_meta).toEqual({ [related]: { taskId } })
  })

  it('TASKL-009 ends with the error of the plain call', async () => {
    await using t = await client(working().app)
    const plain = await t.call('breaks').catch((error) => error)
    const asTask = await t.result((await t.start('breaks')).taskId).catch((error) => error)
    expect([asTask.code, asTask.message, asTask.data]).toEqual([plain.code, plain.message, plain.data])
    expect(asTask).toMatchObject({ code: -32602, data: { part: 'wheel' } })
  })

  it('TASKL-009 delays requests for its result until it is over', async () => {
    const { app, done } = working()
    await using t = await client(app)
    const { taskId } = await t.start('wait')
    const got: unknown[] = []
    const waiting = [t.result(taskId).then((result) => got.push(result)), t.result(taskId).then((result) => got.push(result))]
    await t.result((await t.start('add', { a: 1 })).taskId)
    expect(got).toEqual([])
    done('finished')
    await Promise.all(waiting)
    expect(got).toMatchObject([{ content: [{ text: 'finished' }] }, { content: [{ text: 'finished' }] }])
    expect(await t.result(taskId)).toMatchObject({ content: [{ text: 'finished' }] })
  })

  it.each([
    ['fails', 'No paper'],
    ['says', 'Out of ink'],
    ['breaks', 'Broken'],
  ])('TASKL-010 of %s fails with the reason', async (name, statusMessage) => {
    await using t = await client(working().app)
    const { taskId } = await t.start(name)
    await expect.poll(() => t.get(taskId)).toMatchObject({ status: 'failed', statusMessage })
  })

  it('TASKL-011 is cancelled before the response, and stays cancelled whatever its tool does', async () => {
    const { app, done, aborted } = working()
    await using t = await client(app)
    const { taskId } = await t.start('wait')
    expect(await t.cancel(taskId)).toMatchObject({ taskId, status: 'cancelled' })
    expect(aborted).toHaveLength(1)
    done('too late')
    await t.result((await t.start('add', { a: 1 })).taskId)
    expect(await t.get(taskId)).toMatchObject({ status: 'cancelled' })
    await expect(t.result(taskId)).rejects.toMatchObject({ message: expect.stringContaining('cancelled') })
  })

  it('TASKL-011 ends in only one way if it finishes and is cancelled at the same moment', async () => {
    for (let round = 0; round < 20; round++) {
      const { app, done } = working({ ...(round % 2 && { taskStore: shared() }) })
      await using t = await client(app)
      const { taskId } = await t.start('wait')
      if (round % 4 > 1) done('done')
      const cancelled = await t.cancel(taskId).then(
        ({ status }) => status,
        ({ code }) => code,
      )
      done('done')
      await t.result((await t.start('add', { a: 1 })).taskId)
      const { status } = await t.get(taskId)
      expect([cancelled, status]).toEqual(cancelled === -32602 ? [-32602, 'completed'] : ['cancelled', 'cancelled'])
    }
  })

  it.each(['add', 'fails', 'wait'])('TASKL-011 of %s that is over cannot be cancelled', async (name) => {
    const { app, done } = working()
    await using t = await client(app)
    const { taskId } = await t.start(name, name === 'add' ? { a: 1 } : {})
    if (name === 'wait') await t.cancel(taskId)
    done('done')
    const before = await become(t, taskId, /completed|failed|cancelled/)
    await expect(t.cancel(taskId)).rejects.toMatchObject({ code: -32602 })
    expect(await t.get(taskId)).toEqual(before)
  })

  it('TASKL-012 does not exist under another id, or after its ttl', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await using t = await client(working().app, { lenient: true })
    const { taskId } = await t.start('add', { a: 1 }, { ttl: 60_000 })
    await vi.advanceTimersByTimeAsync(100)
    expect(await t.get(taskId)).toMatchObject({ status: 'completed' })
    vi.advanceTimersByTime(60_001)
    for (const id of [taskId, 'nothing', '', crypto.randomUUID(), '__proto__', undefined, 5, null])
      for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
        await expect(t.request(method, { taskId: id as string })).rejects.toMatchObject({ code: -32602 })
  })

  it('TASKL-012 is on no page for a cursor of another list', async () => {
    await using t = await client(working().app, { lenient: true })
    await t.start('wait')
    for (const cursor of ['x', '', 'AAAA'.repeat(20), 5 as unknown as string])
      await expect(t.request('tasks/list', { cursor })).rejects.toMatchObject({ code: -32602 })
  })

  it.each([
    [{ ttl: 60_000 }, 60_000],
    [{ ttl: 31_536_000_000 }, 86_400_000],
    [{}, 3_600_000],
    [{ ttl: -5 }, 3_600_000],
    [{ ttl: 1.5 }, 2],
  ])('TASKL-013 with the requested ttl %j lives for %d ms, and says so', async (wish, ttl) => {
    await using t = await judged(working().app, { revision, lenient: true })
    const { task } = await t.call('wait', {}, { task: wish })
    expect(task).toMatchObject({ ttl })
    expect(await t.request('tasks/get', { taskId: (task as Task).taskId })).toMatchObject({ ttl })
  })

  it('TASKL-014 belongs to the user who created it', async () => {
    const { app, done } = working()
    await using ada = await client(app, { caller: { id: 'ada' } })
    await using eve = await client(app, { caller: { id: 'eve' } })
    const { taskId } = await ada.start('wait')
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
      const refused = await eve.request(method, { taskId }).catch((error) => error)
      const absent = await eve.request(method, { taskId: 'absent' }).catch((error) => error)
      expect([refused.code, refused.message]).toEqual([-32602, absent.message])
    }
    expect((await eve.request('tasks/list')).tasks).toEqual([])
    expect((await ada.request('tasks/list')).tasks).toMatchObject([{ taskId, status: 'working' }])
    done('hers')
    expect(await ada.result(taskId)).toMatchObject({ content: [{ text: 'hers' }] })
  })

  it('is in a paginated list without gaps', async () => {
    await using t = await client(working().app)
    const made: string[] = []
    for (let at = 0; at < 205; at++) made.push((await t.start('add', { a: at })).taskId)
    const listed: string[] = []
    let cursor: JsonObject = {}
    do {
      const page = await t.request('tasks/list', cursor)
      listed.push(...(page.tasks as Task[]).map(({ taskId }) => taskId))
      cursor = page.nextCursor === undefined ? {} : { cursor: page.nextCursor }
    } while (cursor.cursor !== undefined)
    expect(listed).toEqual(made)
  })

  it('is in a list that continues after its last page has expired', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    await using t = await client(working().app, { lenient: true })
    for (let at = 0; at < 100; at++) await t.start('add', { a: at }, { ttl: 60_000 })
    vi.advanceTimersByTime(50_000)
    const later: string[] = []
    for (let at = 0; at < 150; at++) later.push((await t.start('add', { a: at })).taskId)
    const { nextCursor } = await t.request('tasks/list')
    vi.advanceTimersByTime(50_000)
    const second = await t.request('tasks/list', { cursor: nextCursor as string })
    const third = await t.request('tasks/list', { cursor: second.nextCursor as string })
    expect([...(second.tasks as Task[]), ...(third.tasks as Task[])].map(({ taskId }) => taskId)).toEqual(later)
    expect(third).not.toHaveProperty('nextCursor')
  })

  it('is in a list that does not restart when the last task of a page has expired', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    await using t = await client(working().app, { lenient: true })
    const made: string[] = []
    for (let at = 0; at < 150; at++) {
      made.push((await t.start('add', { a: at }, at === 99 ? { ttl: 60_000 } : {})).taskId)
      vi.advanceTimersByTime(1)
    }
    const { nextCursor } = await t.request('tasks/list')
    vi.advanceTimersByTime(60_000)
    const { tasks } = await t.request('tasks/list', { cursor: nextCursor as string })
    expect((tasks as Task[]).map(({ taskId }) => taskId)).toEqual(made.slice(100))
  })
})

describe('Messages that belong to a task', () => {
  it('TASKL-016 include its questions, on every channel', async () => {
    const asked: JsonObject[] = []
    const who = ({ params }: { params: JsonObject }) => {
      asked.push(params)
      return { name: 'Ada' }
    }
    const { app } = working()
    await using t = await judged(app, { revision, answers: { who } })
    const { task } = await t.call('greet', {}, { task: {} })
    const { taskId } = task as Task
    const { _meta } = await t.request('tasks/result', { taskId })
    expect(_meta).toEqual({ [related]: { taskId } })
    expect(asked).toMatchObject([{ message: 'Who?', _meta: { [related]: { taskId } } }])
  })

  it('TASKL-016 include its progress and its logs', async () => {
    const { app, done } = working()
    await using t = await client(app)
    const { task } = await t.call('talks', {}, { task: {}, onProgress: () => undefined })
    const { taskId } = task as Task
    done('go')
    await t.result(taskId)
    for (const method of ['notifications/progress', 'notifications/message'])
      expect(t.heard(method)).toMatchObject([{ params: { _meta: { [related]: { taskId } } } }])
  })

  it('TASKL-016 are named by the parameter, and not by _meta', async () => {
    const { app } = working()
    await using t = await client(app)
    const [one, two] = [await t.start('wait'), await t.start('wait')]
    const meta = { [related]: { taskId: two.taskId } }
    expect(await t.request('tasks/get', { taskId: one.taskId }, { meta })).toMatchObject({ taskId: one.taskId })
    expect(await t.request('tasks/cancel', { taskId: one.taskId }, { meta })).toMatchObject({ taskId: one.taskId })
    expect(await t.get(two.taskId)).toMatchObject({ status: 'working' })
  })

  it('include questions that reach a capable client, after an incapable one has waited', async () => {
    const name = z.object({ name: z.string() })
    const timedOut = later<void>()
    const greet = tool({
      description: 'Greets',
      longRunning: 'optional',
      run: async (_, ctx) => {
        const ask = () => ctx.ask('who', 'Who?', name)
        const again = () => {
          timedOut.done()
          return ask()
        }
        return `Hello ${(await ask().catch(again)).name}`
      },
    })
    const { tell, sent, params } = await overLine(server({ name: 'a', version: '1', tools: { greet }, questionTimeout: 500 }))
    expect(await tell({ id: 3, method: 'tasks/result', params }, false)).toHaveProperty('error')
    await timedOut.promise
    const status = async () => ((await tell({ id: 5, method: 'tasks/get', params })).result as Task).status
    await expect.poll(status).toBe('input_required')
    const over = tell({ id: 4, method: 'tasks/result', params })
    await expect.poll(() => sent).toHaveLength(1)
    await tell({ id: sent[0]?.id ?? null, result: { action: 'accept', content: { name: 'Ada' } } })
    expect(await over).toMatchObject({ result: { content: [{ text: 'Hello Ada' }] } })
  })

  it('include questions that queue for a client, without those abandoned meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const name = z.object({ name: z.string() })
    const greet = tool({
      description: 'Greets',
      longRunning: 'optional',
      run: async (_, ctx) => {
        const early = ctx.ask('early', 'Early?', name).catch(() => undefined)
        await new Promise((resolve) => setTimeout(resolve, 300))
        const names = await Promise.all([ctx.ask('one', 'One?', name), ctx.ask('two', 'Two?', name), early])
        return names.map((answer) => answer?.name).join()
      },
    })
    const { tell, sent, params } = await overLine(server({ name: 'a', version: '1', tools: { greet }, questionTimeout: 500 }))
    await vi.advanceTimersByTimeAsync(300)
    await vi.advanceTimersByTimeAsync(300)
    const over = tell({ id: 3, method: 'tasks/result', params })
    await vi.waitUntil(() => sent.length > 0, 60_000)
    expect(sent).toMatchObject([{ params: { message: 'One?' } }, { params: { message: 'Two?' } }])
    for (const { id, params } of sent)
      await tell({ id: id ?? null, result: { action: 'accept', content: { name: (params as JsonObject).message ?? null } } })
    expect(await over).toMatchObject({ result: { content: [{ text: 'One?,Two?,' }] } })
  })

  it('include questions that are kept while an incapable client waits', async () => {
    const go = later<void>()
    const run = async (_: unknown, ctx: Context) => {
      await go.promise
      return `Hello ${(await ctx.ask('who', 'Who?', z.object({ name: z.string() }))).name}`
    }
    const greet = tool({ description: 'Greets', longRunning: 'optional', run })
    const { tell, sent, params } = await overLine(server({ name: 'a', version: '1', tools: { greet } }))
    const status = async () => ((await tell({ id: 5, method: 'tasks/get', params })).result as Task).status
    void tell({ id: 3, method: 'tasks/result', params }, false)
    go.done()
    await vi.waitUntil(async () => (await status()) === 'input_required', 60_000)
    const over = tell({ id: 4, method: 'tasks/result', params })
    await vi.waitUntil(() => sent.length > 0, 60_000)
    await tell({ id: sent[0]?.id ?? null, result: { action: 'accept', content: { name: 'Ada' } } })
    expect(await over).toMatchObject({ result: { content: [{ text: 'Hello Ada' }] } })
  })

  it.each([
    'its handler waits for it no longer',
    'it is cancelled',
  ])('include the withdrawal of its question before the result when %s', async (why) => {
    const go = later<string>()
    const run = (_: unknown, ctx: Context) => Promise.race([ctx.ask('who', 'Who?', z.object({})).then(String), go.promise])
    const greet = tool({ description: 'Greets', longRunning: 'optional', run })
    const { tell, sent, params } = await overLine(server({ name: 'a', version: '1', tools: { greet } }))
    const over = tell({ id: 3, method: 'tasks/result', params }).then(({ id }) => sent.push({ id: id ?? null }))
    await vi.waitUntil(() => sent.length > 0, 60_000)
    if (why === 'it is cancelled') await tell({ id: 4, method: 'tasks/cancel', params })
    else go.done('Hello')
    await over
    const [question, ...others] = sent
    expect(others).toMatchObject([{ method: 'notifications/cancelled', params: { requestId: question?.id } }, { id: 3 }])
  })

  it('show the state input_required until the last open question is answered', async () => {
    const [first, second] = [later<{ name: string }>(), later<{ name: string }>()]
    const { app } = working()
    await using t = await judged(app, { revision, answers: { who: () => first.promise, whom: () => second.promise } })
    const { task } = await t.call('pair', {}, { task: {} })
    const status = async () => (await t.request('tasks/get', { taskId: (task as Task).taskId })).status
    await expect.poll(status).toBe('input_required')
    first.done({ name: 'Ada' })
    await expect.poll(() => t.frames.filter(({ from, message }) => from === 'client' && 'result' in message)).toHaveLength(1)
    expect(await status()).toBe('input_required')
    second.done({ name: 'Bob' })
    expect(await t.request('tasks/result', { taskId: (task as Task).taskId })).toMatchObject({
      content: [{ text: 'Ada and Bob' }],
    })
  })
})

describe('The limits of tasks', () => {
  it('TASKL-019 are a hundred at once per user, without affecting others', async () => {
    const { app, done } = working()
    await using eve = await client(app, { caller: { id: 'eve' } })
    for (let at = 0; at < 100; at++) await eve.start('wait')
    // The revision decides how a refusal is reported; here the model reads it.
    expect(await eve.call('wait', {}, { task: {} })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('Too many tasks') }],
    })
    await using ada = await client(app, { caller: { id: 'ada' } })
    expect(await ada.start('wait')).toMatchObject({ status: 'working' })
    done('done')
    await expect.poll(() => eve.start('wait')).toMatchObject({ status: 'working' })
  })

  it('TASKL-019 allow as many requests for results as running tasks, for each caller', async () => {
    const { app, done } = working()
    await using eve = await client(app, { caller: { id: 'eve' }, lenient: true })
    await using ada = await client(app, { caller: { id: 'ada' } })
    const { taskId } = await eve.start('wait')
    const waiting = Array.from({ length: 100 }, () => eve.result(taskId))
    await expect(eve.result(taskId)).rejects.toMatchObject({ code: 429 })
    const hers = ada.result((await ada.start('wait')).taskId)
    done('finished')
    for (const result of [...waiting, hers]) expect(await result).toMatchObject({ content: [{ text: 'finished' }] })
    expect(await eve.result(taskId)).toMatchObject({ content: [{ text: 'finished' }] })
  })

  it('TASKL-019 stop a task that outlives its ttl', async () => {
    const { app, aborted } = working()
    await using t = await client(app)
    await t.start('wait', {}, { ttl: 20 })
    await expect.poll(() => aborted).toHaveLength(1)
  })

  it('TASKL-019 allow a task ten questions', async () => {
    const nosy = tool({
      description: 'Nosy',
      longRunning: 'optional',
      run: async (_, ctx) => {
        for (;;) await ctx.ask.roots('more')
      },
    })
    await using t = await judged(server({ name: 'a', version: '1', tools: { nosy } }), {
      revision,
      answers: { more: { roots: [] } },
    })
    const { task } = await t.call('nosy', {}, { task: {} })
    expect(await t.request('tasks/result', { taskId: (task as Task).taskId })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('10 questions') }],
    })
  })
})

describe('With a failing store', () => {
  it('a task that cannot be stored at its end leaves no request pending, and the fault is reported', async () => {
    const kept = memoryTasks()
    const put = (record: TaskRecord) => (isOver(record.status) ? Promise.reject(new Error('disk full')) : kept.put(record))
    const { app, done } = working({ taskStore: { ...kept, put } })
    await using t = await client(app)
    const { taskId } = await t.start('wait')
    const waiting = t.result(taskId)
    done('done')
    expect(await waiting).toMatchObject({ content: [{ text: 'done' }] })
    await expect.poll(() => faults.map(({ fault }) => String(fault))).toEqual(['Error: disk full'])
    expect(await t.call('plain')).toMatchObject({ content: [{ text: 'plain' }] })
  })
})

describe('With a shared store', () => {
  it('TASKL-009 a result reaches a request at another replica', async () => {
    const taskStore = shared()
    const [here, there] = [working({ taskStore }), working({ taskStore })]
    await using one = await client(here.app)
    await using two = await client(there.app)
    const { taskId } = await one.start('wait')
    const waiting = two.result(taskId)
    here.done('finished here')
    expect(await waiting).toMatchObject({ content: [{ text: 'finished here' }] })
    expect(await two.get(taskId)).toMatchObject({ status: 'completed' })
  })

  it('TASKL-009 a long request for a result accumulates nothing, and frees its slot when it is cancelled', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const listened = vi.spyOn(AbortSignal.prototype, 'addEventListener')
    const taskStore = { ...shared(), put: () => undefined, get: () => running }
    const { app } = working({ taskStore })
    const conversation = new Conversation(localUser)
    const running = { taskId: 't', owner: localUser.id, status: 'working' } as TaskRecord
    const tell = (method: string, params: JsonObject, id?: number) => {
      const message = readMessage(JSON.stringify({ jsonrpc: '2.0', method, params, ...(id !== undefined && { id }) }))
      const line = { send: () => undefined, header: undefined, hangUp: undefined, twoWay: true }
      return app['~application'].receive(message as SingleMessage, conversation, line)
    }
    await tell('initialize', { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'a', version: '1' } }, 1)
    const waiting = Array.from({ length: 100 }, (_, at) => tell('tasks/result', { taskId: 't' }, at + 10))
    for (let look = 0; look < 30; look++) await vi.advanceTimersByTimeAsync(500)
    expect(listened.mock.calls.length).toBeLessThan(200)
    listened.mockRestore()
    expect(await tell('tasks/result', { taskId: 't' }, 9)).toMatchObject({ error: 429 })
    for (const at of waiting.keys()) void tell('notifications/cancelled', { requestId: at + 10 })
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => undefined))
    running.status = 'cancelled'
    expect(await tell('tasks/result', { taskId: 't' }, 9)).toMatchObject({ error: -32603 })
  })

  it('TASKL-011 a task that was cancelled at another replica stays cancelled when it finishes', async () => {
    const taskStore = shared()
    const [here, there] = [working({ taskStore }), working({ taskStore })]
    await using one = await client(here.app)
    await using two = await client(there.app)
    const { taskId } = await one.start('wait')
    await two.cancel(taskId)
    here.done('too late')
    await one.result((await one.start('add', { a: 1 })).taskId)
    expect([(await one.get(taskId)).status, (await two.get(taskId)).status]).toEqual(['cancelled', 'cancelled'])
  })
})
