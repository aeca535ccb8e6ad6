// Calls that the client makes as tasks in 2025-11-25. spec 2025-11-25, basic/utilities/tasks
import { afterEach, describe, expect, it, vi } from 'vitest'
import { approve } from '../../src/guard.js'
import type { JsonObject } from '../../src/json.js'
import { TransportError } from '../../src/peer/client-transport.js'
import { passUntil } from './fake-time.js'
import { connectScripted, Fails, plainTool, type Script, textResult, toolsPage } from './scripted.js'

const revision = '2025-11-25'
const capabilities = { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } }
const kinds = ['required', 'optional', 'forbidden'] as const
const listed = toolsPage([
  ...kinds.map((taskSupport) => plainTool(taskSupport, { execution: { taskSupport } })),
  plainTool('plain'),
])
const task = (status: string, pollInterval = 5_000): JsonObject => ({
  taskId: 'task-1',
  status,
  createdAt: '2025-11-25T10:30:00Z',
  lastUpdatedAt: '2025-11-25T10:40:00Z',
  ttl: 60_000,
  pollInterval,
})

/** A server whose task has these statuses in turn, and which sends no notifications. */
function working(...statuses: JsonObject[]): Script {
  let looks = 0
  return {
    'tools/list': listed,
    'tools/call': ({ params }) => (params.task ? { task: task('working') } : textResult('at once')),
    'tasks/get': () => statuses[Math.min(looks++, statuses.length - 1)] ?? {},
    'tasks/result': textResult('at last'),
    'tasks/cancel': () => task('cancelled'),
  }
}

/** The same server with a short poll interval. */
const hurrying = (...statuses: JsonObject[]): Script => ({
  ...working(...statuses),
  'tools/call': ({ params }) => (params.task ? { task: task('working', 1) } : textResult('at once')),
})

afterEach(() => vi.useRealTimers())
const actionIn = ({ result }: JsonObject) => String((result as JsonObject).action)
const clock = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })

describe(revision, () => {
  it('TASKL-003 uses a task for a tool that requires one, and for no other', async () => {
    const { client, server } = await connectScripted(working(task('completed', 1)), { revision, capabilities })
    expect(await client.call('required')).toMatchObject({ content: [{ text: 'at last' }] })
    for (const name of ['optional', 'forbidden', 'plain'])
      expect(await client.call(name)).toMatchObject({ content: [{ text: 'at once' }] })
    const asTask = server.received('tools/call').filter(({ params }) => 'task' in (params as JsonObject))
    expect(asTask.map(({ params }) => (params as JsonObject).name)).toEqual(['required'])
  })

  it('TASKL-003 uses a task for a tool that supports one only if the caller wants it', async () => {
    const { client, server } = await connectScripted(hurrying(task('completed', 1)), { revision, capabilities })
    expect(await client.call('optional', {}, { asTask: true })).toMatchObject({ content: [{ text: 'at last' }] })
    for (const name of ['forbidden', 'plain'])
      expect(await client.call(name, {}, { asTask: true })).toMatchObject({ content: [{ text: 'at once' }] })
    expect(server.received('tasks/result')).toHaveLength(1)
    const none = await connectScripted(working(), { revision, capabilities: { tools: {} } })
    expect(await none.client.call('optional', {}, { asTask: true })).toMatchObject({ content: [{ text: 'at once' }] })
  })

  it('reports an unknown outcome if the server has lost the task, and not an error of the tool', async () => {
    const unknown = new Fails(-32602, 'no such task')
    const asking = task('input_required', 1)
    const endOf = async (looks: (JsonObject | Fails)[], result: JsonObject | Fails = textResult('at last')) => {
      const script = { ...hurrying(), 'tasks/get': () => looks.shift() ?? {}, 'tasks/result': () => result }
      const { client } = await connectScripted(script, { revision, capabilities })
      return client.call('required')
    }
    const lost = { code: 'outcome_unknown', message: expect.stringContaining('task-1') }
    await expect(endOf([unknown])).rejects.toMatchObject(lost)
    await expect(endOf([asking, unknown], unknown)).rejects.toMatchObject(lost)
    await expect(endOf([asking, task('failed')], new Fails(-32602, 'no such mug'))).rejects.toThrow('no such mug')
  })

  it('SECC-010 makes a call once if its task is lost with two sessions, even if a policy decides', async () => {
    const gone = () => new TransportError('session-gone', 'HTTP 404', { sent: false, status: 404 })
    const script = { ...hurrying(), 'tasks/get': gone }
    const options = { policies: [approve({ ask: () => 'allow' })] }
    const { client, server } = await connectScripted(script, { revision, capabilities, options })
    await expect(client.call('required')).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect(server.received('tasks/get')).toHaveLength(2)
    expect(server.received('tools/call')).toHaveLength(1)
  })

  it('SECC-010 reports an unknown outcome if the result of a task cannot be fetched', async () => {
    const broken = () => new TransportError('broken', 'the line was cut', { sent: true })
    const { client } = await connectScripted(
      { ...hurrying(task('completed', 1)), 'tasks/result': broken },
      { revision, capabilities },
    )
    await expect(client.call('required')).rejects.toMatchObject({ code: 'outcome_unknown' })
  })

  it('TASKL-003 uses no task if the server does not support them', async () => {
    for (const offered of [{ tools: {} }, { tools: {}, tasks: { list: {} } }]) {
      const { client, server } = await connectScripted(working(), { revision, capabilities: offered })
      await expect(client.call('required')).rejects.toMatchObject({ code: 'not_offered' })
      expect(server.received('tools/call')).toEqual([])
    }
  })

  it('TASKL-017 TASKL-018 polls at the interval of the server, ignores notifications, and fetches the result at the end', async () => {
    clock()
    const { client, server } = await connectScripted(working(task('working', 20_000), task('completed')), {
      revision,
      capabilities,
    })
    const call = client.call('required', {}, { onTask: (taskId) => expect(taskId).toBe('task-1') })
    const looks = () => server.received('tasks/get').length
    const first = await passUntil(() => looks() === 1, 250)
    expect(server.received('tasks/result')).toEqual([])
    const second = await passUntil(() => looks() === 2, 250)
    expect([first >= 5_000, first + second >= 25_000, first < 10_000, second < 30_000]).toEqual([true, true, true, true])
    expect(await call).toMatchObject({ content: [{ text: 'at last' }] })
    expect(server.received('tasks/result').map(({ params }) => params)).toEqual([{ taskId: 'task-1' }])
  })

  it('TASKL-017 TASKL-018 fetches the result as soon as the task requires input, and answers there', async () => {
    clock()
    const question = {
      message: 'Sure?',
      requestedSchema: { type: 'object', properties: { yes: { type: 'boolean' } } },
      _meta: { 'io.modelcontextprotocol/related-task': { taskId: 'task-1' } },
    }
    const { client, server } = await connectScripted(
      {
        ...working(task('input_required')),
        'tasks/result': async (_, on) => textResult(actionIn(await on.ask('q', 'elicitation/create', question))),
      },
      { revision, capabilities, options: { answers: { form: () => ({ action: 'accept', content: { yes: true } }) } } },
    )
    const call = client.call('required')
    await passUntil(() => server.received('tasks/get').length === 1, 250)
    expect((await call).content).toEqual([{ type: 'text', text: 'accept' }])
    expect(server.received('tasks/get')).toHaveLength(1)
  })

  it('TASKL-018 is not misled by notifications of tasks', async () => {
    clock()
    const { client, server } = await connectScripted(working(task('working'), task('completed')), { revision, capabilities })
    let begun = ''
    const call = client.call('required', {}, { onTask: (taskId) => (begun = taskId) })
    await passUntil(() => begun === 'task-1', 10)
    for (const status of ['completed', 'failed', 'cancelled']) server.notify('notifications/tasks/status', task(status))
    server.notify('notifications/tasks/status')
    await passUntil(() => server.received('tasks/get').length === 1, 250)
    expect(server.received('tasks/result')).toEqual([])
    await passUntil(() => server.received('tasks/get').length === 2, 250)
    expect(await call).toMatchObject({ content: [{ text: 'at last' }] })
  })

  it('TASKL-017 fails with the error of the task', async () => {
    const script = {
      ...working(task('failed', 1)),
      'tools/call': { task: task('failed', 1) },
      'tasks/result': new Fails(-32603, 'broke'),
    }
    const { client } = await connectScripted(script, { revision, capabilities })
    await expect(client.call('required')).rejects.toMatchObject({ name: 'RpcError', code: -32603, message: 'broke' })
  })

  it('CANC-012 cancels the task, and sends no cancellation of the request that created it', async () => {
    const { client, server } = await connectScripted(working(task('working', 60_000)), { revision, capabilities })
    const stop = new AbortController()
    const call = client.call('required', {}, { signal: stop.signal, onTask: () => setTimeout(() => stop.abort(), 5) })
    await expect(call).rejects.toMatchObject({ name: 'CallFailure', code: 'cancelled' })
    await expect.poll(() => server.received('tasks/cancel').map(({ params }) => params)).toEqual([{ taskId: 'task-1' }])
    expect(server.received('notifications/cancelled')).toEqual([])
  })
})
