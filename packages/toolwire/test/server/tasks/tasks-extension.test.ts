import { ask, RpcError, server, type TaskStore, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../../../src/json.js'
import { judged } from '../../official-schemas.js'
import { faults } from '../../reported-faults.js'
import { able, accept, Rounder } from '../questions/rounds.js'
import { become, later, shared, type Task, working } from './tasks.js'

const extension = 'io.modelcontextprotocol/tasks'
const extended = { ...able, extensions: { [extension]: {} } }
const needed = { requiredCapabilities: { extensions: { [extension]: {} } } }
const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

type Caller = { id?: string }

/** A client with the extension, and its task methods. */
function client(
  app: ReturnType<typeof working>['app'],
  { caller = {}, capabilities = extended as JsonObject }: { caller?: Caller; capabilities?: JsonObject } = {},
) {
  const rounder = new Rounder(app, { caller, capabilities })
  const of =
    (method: string) =>
    async (taskId: string, more: JsonObject = {}) =>
      (await rounder.send(method, { taskId, ...more })).result as Task
  return {
    send: (method: string, params: JsonObject = {}) => rounder.send(method, params),
    call: (name: string, more: JsonObject = {}) => rounder.call(name, more),
    start: async (name: string, args: JsonObject = {}) => (await rounder.call(name, { arguments: args })).result as Task,
    get: of('tasks/get'),
    cancel: of('tasks/cancel'),
    update: (taskId: string, inputResponses: JsonObject) => of('tasks/update')(taskId, { inputResponses }),
  }
}

const empty = { resultType: 'complete', _meta: expect.anything() }

describe('The creation of a task', () => {
  it('TASKX-001 needs the extension in the request; otherwise the call returns a result, or is refused', async () => {
    const plain = client(working().app, { capabilities: {} })
    expect((await plain.call('add', { arguments: { a: 1 } })).result).toMatchObject({
      resultType: 'complete',
      structuredContent: { sum: 2 },
    })
    expect((await plain.call('plain')).result).toMatchObject({ resultType: 'complete' })
    expect((await client(working().app).call('add', { arguments: { a: 1 } })).result).toMatchObject({ resultType: 'task' })
  })

  it('TASKX-001 does not depend on capabilities of an earlier request', async () => {
    await using t = await judged(working().app, { revision: '2026-07-28', capabilities: extended })
    expect(await t.call('add', { a: 1 })).toMatchObject({ resultType: 'task' })
    const meta = { 'io.modelcontextprotocol/clientCapabilities': {} }
    expect(await t.call('add', { a: 1 }, { meta })).toMatchObject({ resultType: 'complete' })
  })

  it('TASKX-002 is refused for a tool that requires tasks, with the missing capability', async () => {
    for (const capabilities of [
      {},
      { extensions: {} },
      { extensions: { 'com.example/tasks': {} } },
      { tasks: { requests: { tools: { call: {} } } } },
    ])
      expect((await client(working().app, { capabilities }).call('only')).error).toMatchObject({ code: -32021, data: needed })
    expect((await client(working().app).call('only')).result).toMatchObject({ resultType: 'task' })
  })

  it('TASKX-015 is not requested by the older parameter', async () => {
    const { app } = working()
    const task = { ttl: 60_000 }
    expect((await client(app).call('plain', { task })).result).toMatchObject({ resultType: 'complete' })
    expect((await client(app, { capabilities: {} }).call('add', { arguments: { a: 1 }, task })).result).toMatchObject({
      resultType: 'complete',
    })
  })

  it('TASKX-015 TASKX-016 comes without the withdrawn methods, which are unknown', async () => {
    const t = client(working().app)
    const { taskId } = await t.start('wait')
    for (const method of ['tasks/result', 'tasks/list'])
      expect((await t.send(method, { taskId })).error).toMatchObject({ code: -32601 })
  })

  it('TASKX-017 is required for task methods: a client without the extension is refused before the lookup', async () => {
    const { app } = working()
    const { taskId } = await client(app).start('wait')
    const plain = client(app, { capabilities: {} })
    for (const id of [taskId, 'nothing']) {
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
        expect((await plain.send(method, { taskId: id, inputResponses: {} })).error).toMatchObject({ code: -32021, data: needed })
      expect((await plain.send('subscriptions/listen', { notifications: { taskIds: [id] } })).error).toMatchObject({
        code: -32021,
        data: needed,
      })
    }
    expect(await client(app).get(taskId)).toMatchObject({ status: 'working' })
  })
})

describe('TASKX-016 each revision has its own tasks', () => {
  it('TASKX-016 the extension has no effect at 2025-11-25', async () => {
    await using t = await judged(working().app, { revision: '2025-11-25', capabilities: extended })
    const { capabilities } = t.frames[1]?.message.result as JsonObject
    expect(capabilities).toMatchObject({ tasks: {} })
    expect(capabilities).not.toHaveProperty('extensions')
    expect(await t.call('add', { a: 1 })).toMatchObject({ structuredContent: { sum: 2 } })
    await expect(t.request('tasks/update', { taskId: 'x', inputResponses: {} })).rejects.toMatchObject({ code: -32601 })
  })

  it('TASKX-016 the older capability is not declared at 2026-07-28', async () => {
    await using t = await judged(working().app, { revision: '2026-07-28' })
    const { capabilities } = await t.request('server/discover')
    expect(capabilities).toMatchObject({ extensions: { [extension]: {} } })
    expect(capabilities).not.toHaveProperty('tasks')
  })

  it.each(['2024-11-05', '2025-03-26', '2025-06-18'])('TASKX-016 there are no tasks at %s', async (revision) => {
    await using t = await judged(working().app, { revision, capabilities: extended })
    const { capabilities } = t.frames[1]?.message.result as JsonObject
    expect(Object.keys(capabilities as JsonObject).filter((name) => name === 'tasks' || name === 'extensions')).toEqual([])
    expect(await t.call('add', { a: 1 })).toHaveProperty('content')
    for (const method of ['tasks/get', 'tasks/list', 'tasks/result', 'tasks/cancel', 'tasks/update'])
      await expect(t.request(method, { taskId: 'x' })).rejects.toMatchObject({ code: -32601 })
  })
})

describe('A task', () => {
  it('TASKX-004 is a flat result of its own type', async () => {
    const t = client(working().app)
    const created = await t.start('wait')
    const flat = {
      taskId: expect.any(String),
      status: 'working',
      createdAt: iso,
      lastUpdatedAt: iso,
      ttlMs: 3_600_000,
      pollIntervalMs: 1_000,
    }
    expect(created).toEqual({ resultType: 'task', ...flat, _meta: expect.anything() })
    expect(created._meta).not.toHaveProperty('io.modelcontextprotocol/related-task')
    expect(await t.get(created.taskId)).toEqual({ resultType: 'complete', ...flat, _meta: expect.anything() })
  })

  it('TASKX-005 can be read before its creation is answered, even from another replica', async () => {
    const taskStore = shared()
    const [here, there] = [working({ taskStore }), working({ taskStore })]
    for (let at = 0; at < 20; at++) {
      const { taskId } = await client(here.app).start('wait')
      expect(await client(there.app).get(taskId)).toMatchObject({ taskId, status: 'working' })
    }
    const { taskId } = await client(here.app).start('wait')
    here.done('finished here')
    await expect
      .poll(() => client(there.app).get(taskId))
      .toMatchObject({
        status: 'completed',
        result: { content: [{ text: 'finished here' }] },
      })
  })

  it('TASKX-005 does not begin if it cannot be stored', async () => {
    const ran: string[] = []
    const work = tool({ description: 'Works', longRunning: 'required', run: () => String(ran.push('ran')) })
    const taskStore: TaskStore = { get: () => undefined, list: () => [], put: () => Promise.reject(new Error('disk full')) }
    const app = server({ name: 'a', version: '1', tools: { work }, taskStore })
    expect((await new Rounder(app, { capabilities: extended }).call('work')).error).toMatchObject({ code: -32603 })
    expect(ran).toEqual([])
  })

  it('TASKX-006 TASKX-007 shows its result', async () => {
    const t = client(working().app)
    const shown = async (name: string, args: JsonObject = {}) => become(t, (await t.start(name, args)).taskId, /completed|failed/)
    const completed = await shown('add', { a: 1 })
    expect(completed).toMatchObject({
      resultType: 'complete',
      status: 'completed',
      result: { resultType: 'complete', structuredContent: { sum: 2 } },
    })
    expect(completed).not.toHaveProperty('error')
    for (const [name, text] of [
      ['fails', 'No paper'],
      ['says', 'Out of ink'],
    ] as const)
      expect(await shown(name)).toMatchObject({ status: 'completed', result: { isError: true, content: [{ text }] } })
    const failed = await shown('breaks')
    expect(failed).toMatchObject({ status: 'failed', error: { code: -32602, message: 'Broken', data: { part: 'wheel' } } })
    expect(failed).not.toHaveProperty('result')
    const waiting = await t.start('wait')
    expect(await t.get(waiting.taskId)).not.toHaveProperty('result')
    await t.cancel(waiting.taskId)
    const cancelled = await t.get(waiting.taskId)
    expect(cancelled.status).toBe('cancelled')
    for (const member of ['result', 'error', 'inputRequests', 'requestState']) expect(cancelled).not.toHaveProperty(member)
  })

  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  it.each([
    ['error is a cycle', () => Promise.reject(new RpcError(7, 'Round', { data: cycle }))],
    ['error has a bigint', () => Promise.reject(new RpcError(7, 'Large', { data: { n: 1n } }))],
  ])('TASKX-006 shows the failure of a task whose %s, and reports it', async (_, run) => {
    const breaks = tool({ longRunning: 'optional', run })
    const t = client(server({ name: 'tasks', version: '1', tools: { breaks } }) as never)
    const { taskId } = await t.start('breaks')
    await expect.poll(() => t.get(taskId)).toMatchObject({ status: 'failed', error: { code: -32603, message: 'Internal error' } })
    expect(faults.map(({ where }) => where)).toContain('a task of breaks')
  })

  it('TASKX-006 shows every open question until it is answered', async () => {
    const t = client(working().app)
    const { taskId } = await t.start('pair')
    const both = await become(t, taskId, /input_required/)
    expect(both).toMatchObject({
      status: 'input_required',
      inputRequests: {
        who: { method: 'elicitation/create', params: { message: 'First?' } },
        whom: { params: { message: 'Second?' } },
      },
    })
    expect(await t.update(taskId, { whom: accept({ name: 'Bob' }) })).toEqual(empty)
    const one = await t.get(taskId)
    expect([one.status, Object.keys(one.inputRequests as JsonObject)]).toEqual(['input_required', ['who']])
    expect(await t.update(taskId, { who: accept({ name: 'Ada' }) })).toEqual(empty)
    const done = await become(t, taskId, /completed/)
    expect(done).toMatchObject({ result: { content: [{ text: 'Ada and Bob' }] } })
    expect(done).not.toHaveProperty('inputRequests')
  })

  it('TASKX-008 never asks twice under one key', async () => {
    const t = client(working().app)
    const { taskId } = await t.start('twice')
    const seen: string[] = []
    for (const name of ['Ada', 'Bob']) {
      const [key = ''] = Object.keys((await become(t, taskId, /input_required/)).inputRequests as JsonObject)
      seen.push(key)
      await t.update(taskId, { [key]: accept({ name }) })
    }
    expect(new Set(seen).size).toBe(2)
    await expect.poll(() => t.get(taskId)).toMatchObject({ result: { content: [{ text: 'Ada Bob' }] } })
  })

  it('TASKX-008 asks again under another key if the answer is invalid', async () => {
    const t = client(working().app)
    const { taskId } = await t.start('greet')
    await become(t, taskId, /input_required/)
    await t.update(taskId, { who: accept({ name: 5 }) })
    const again = (await become(t, taskId, /input_required/)).inputRequests as JsonObject
    expect(Object.keys(again)).toHaveLength(1)
    expect(again).not.toHaveProperty('who')
    await t.update(taskId, { [Object.keys(again)[0] as string]: accept({ name: 'Ada' }) })
    await expect.poll(() => t.get(taskId)).toMatchObject({ result: { content: [{ text: 'Hello Ada' }] } })
  })

  it('TASKX-009 TASKX-010 is cancelled with an empty acknowledgement, even if it is over', async () => {
    const { app, aborted, done } = working()
    const t = client(app)
    const waiting = await t.start('wait')
    expect(await t.cancel(waiting.taskId)).toEqual(empty)
    expect(await t.cancel(waiting.taskId)).toEqual(empty)
    expect(aborted).toHaveLength(1)
    done('too late')
    const over = await t.start('add', { a: 1 })
    const before = await become(t, over.taskId, /completed/)
    expect((await t.get(waiting.taskId)).status).toBe('cancelled')
    expect(await t.cancel(over.taskId)).toEqual(empty)
    expect(await t.get(over.taskId)).toEqual(before)
  })

  it('TASKX-011 ignores answers without an open question, and repeated ones', async () => {
    const t = client(working().app)
    const { taskId } = await t.start('pair')
    await become(t, taskId, /input_required/)
    expect(await t.update(taskId, { nobody: { ignored: true } })).toEqual(empty)
    expect((await t.get(taskId)).status).toBe('input_required')
    const first = { who: accept({ name: 'Ada' }), other: accept() }
    for (let again = 0; again < 3; again++) expect(await t.update(taskId, first)).toEqual(empty)
    await t.update(taskId, { who: accept({ name: 'Eve' }), whom: accept({ name: 'Bob' }) })
    expect(await t.update(taskId, first)).toEqual(empty)
    await expect.poll(() => t.get(taskId)).toMatchObject({ status: 'completed', result: { content: [{ text: 'Ada and Bob' }] } })
  })

  it('ends without consent if the person declines', async () => {
    const t = client(working().app)
    const { taskId } = await t.start('greet')
    await become(t, taskId, /input_required/)
    await t.update(taskId, { who: { action: 'decline' } })
    await expect
      .poll(() => t.get(taskId))
      .toMatchObject({
        status: 'completed',
        result: { isError: true, content: [{ text: expect.stringContaining('declined') }] },
      })
  })

  it.each(['nothing', '', '__proto__', 5, null, undefined])('TASKX-018 does not exist as %j', async (taskId) => {
    const t = client(working().app)
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
      expect((await t.send(method, { taskId: taskId as string, inputResponses: {} })).error).toMatchObject({ code: -32602 })
  })

  it('TASKX-019 belongs to the user who created it', async () => {
    const { app } = working()
    const [ada, eve] = [client(app, { caller: { id: 'ada' } }), client(app, { caller: { id: 'eve' } })]
    const { taskId } = await ada.start('greet')
    expect(taskId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    await become(ada, taskId, /input_required/)
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const refused = await eve.send(method, { taskId, inputResponses: { who: accept({ name: 'Eve' }) } })
      const absent = await eve.send(method, { taskId: 'absent', inputResponses: {} })
      expect(refused.error).toEqual(absent.error)
      expect(refused.error).toMatchObject({ code: -32602 })
    }
    expect(await ada.get(taskId)).toMatchObject({ status: 'input_required' })
  })

  it('is created after the declared questions are answered, and does not repeat them', async () => {
    const greet = tool({
      description: 'Greets',
      longRunning: 'required',
      asks: { who: ask('Who?', z.object({ name: z.string() })) },
      run: (_, ctx) => `Hello ${ctx.answers.who.name}`,
    })
    const rounder = new Rounder(server({ name: 'a', version: '1', tools: { greet } }), { capabilities: extended })
    const { requestState, ...asked } = await rounder.asked('tools/call', { name: 'greet' })
    expect(asked).not.toHaveProperty('taskId')
    const { result } = await rounder.call('greet', {
      requestState: requestState as string,
      inputResponses: { who: accept({ name: 'Ada' }) },
    })
    expect(result).toMatchObject({ resultType: 'task', taskId: expect.any(String) })
    for (const member of ['requestState', 'inputRequests']) expect(result).not.toHaveProperty(member)
    const got = async () => (await rounder.send('tasks/get', { taskId: (result as Task).taskId })).result
    await expect.poll(got).toMatchObject({ status: 'completed', result: { content: [{ text: 'Hello Ada' }] } })
  })
})

describe('Notifications of a task', () => {
  const changed = 'notifications/tasks'

  it('RESULT-017 have advice in place of a result that is too large', async () => {
    const { promise, done } = later<void>()
    const run = () => promise.then(() => 'é'.repeat(600))
    const pour = tool({ description: 'Pours', longRunning: 'optional', run })
    const app = server({ name: 'a', version: '1', tools: { pour }, limits: { resultBytes: 1_000 } })
    await using t = await judged(app, { revision: '2026-07-28', capabilities: extended })
    const { taskId } = (await t.call('pour')) as JsonObject as Task
    void t.request('subscriptions/listen', { notifications: { taskIds: [taskId] } })
    await t.hear('notifications/subscriptions/acknowledged')
    done()
    const advised = { status: 'completed', result: { isError: true, content: [{ text: expect.stringMatching(/resultBytes/) }] } }
    expect(await t.hear(changed)).toMatchObject({ params: advised })
    expect(await t.request('tasks/get', { taskId })).toMatchObject(advised)
  })

  it('TASKX-020 reach the subscription that named it, complete, and without progress or logs', async () => {
    const { app, done } = working()
    const meta = { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'debug' }
    await using t = await judged(app, { revision: '2026-07-28', capabilities: extended })
    const mine = (await t.call('talks', {}, { meta })) as JsonObject as Task
    const other = (await t.call('wait')) as JsonObject as Task
    void t.request('subscriptions/listen', { notifications: { taskIds: [mine.taskId, 'unknown'] } })
    expect(await t.hear('notifications/subscriptions/acknowledged')).toMatchObject({
      params: { notifications: { taskIds: [mine.taskId] } },
    })
    done('go')
    await t.hear(changed)
    const listenId = t.frames.find(({ message }) => message.method === 'subscriptions/listen')?.message.id
    expect(t.heard(changed)).toMatchObject([
      {
        params: {
          taskId: mine.taskId,
          status: 'completed',
          result: { content: [{ text: 'talked' }] },
          _meta: { 'io.modelcontextprotocol/subscriptionId': listenId },
        },
      },
    ])
    expect(t.heard().map(({ method }) => method)).toEqual(['notifications/subscriptions/acknowledged', changed])
    expect(JSON.stringify(t.heard())).not.toContain(other.taskId)
  })

  it('TASKX-019 TASKX-020 do not reach users without access to the task', async () => {
    const { app, done } = working()
    await using ada = await judged(app, { revision: '2026-07-28', capabilities: extended, caller: { id: 'ada' } })
    await using eve = await judged(app, { revision: '2026-07-28', capabilities: extended, caller: { id: 'eve' } })
    const { taskId } = (await ada.call('wait')) as JsonObject as Task
    void eve.request('subscriptions/listen', { notifications: { taskIds: [taskId] } })
    const acknowledged = await eve.hear('notifications/subscriptions/acknowledged')
    expect((acknowledged.params as JsonObject).notifications).toEqual({})
    void ada.request('subscriptions/listen', { notifications: { taskIds: [taskId] } })
    await ada.hear('notifications/subscriptions/acknowledged')
    done('hers')
    await ada.hear(changed)
    expect(eve.heard(changed)).toEqual([])
  })
})
