// Tasks of callers are the gateway's own, with the outcome of the call at the upstream.
import type { JsonObject } from 'toolwire'
import { describe, expect, it } from 'vitest'
import {
  called,
  counts,
  createTask,
  getTask,
  pairs,
  taskInStatus,
  tasking,
  taskResult,
  tasks,
  tasksOnPipe,
} from '../support/task-fixture.js'
import { client, gateway, modern, older, words } from '../support/upstream-fixture.js'

const rome = { form: () => ({ action: 'accept' as const, content: { place: 'Rome' } }) }
const oslo = { action: 'accept' as const, content: { place: 'Oslo' } }
const absent = { code: -32602, message: 'params.taskId names no task of this caller' }

describe.each(pairs)('a server of $server and a caller of $caller', ({ server, caller }) => {
  it('GW-003 GW-004 support a task that asks, continues and ends as the call does, which is made once', async () => {
    const { url } = await gateway([tasksOnPipe(server)])
    const one = await client(url, { revision: caller, answers: rome })
    const taskIds: string[] = []
    const result = await one.call('tasks__walk', {}, { asTask: true, onTask: (taskId) => taskIds.push(taskId) })
    expect(words(result)).toBe('arrived at Rome')
    expect(taskIds).toHaveLength(1)
    expect(await counts(one)).toEqual({ walked: 1 })
  })

  it('support a task that waits for input until it is answered', async () => {
    const { url } = await gateway([await tasks(server)])
    let answer: (given: typeof oslo) => void = () => undefined
    const answers = { form: () => new Promise<typeof oslo>((resolve) => (answer = resolve)) }
    const one = await client(url, { revision: caller, answers })
    const { taskId, status } = await createTask(one, 'walk')
    expect(status).toBe('working')
    const asking = await taskInStatus(one, taskId, 'input_required')
    if (caller === modern) {
      const questions = asking.inputRequests as Record<string, JsonObject>
      expect(Object.values(questions)).toMatchObject([
        {
          method: 'elicitation/create',
          params: { message: expect.stringMatching(/^The server "\w+" asks this, in its own words:\n> Where to\?$/) },
        },
      ])
      const inputResponses = Object.fromEntries(Object.keys(questions).map((key) => [key, oslo]))
      await one.request('tasks/update', { taskId, inputResponses })
    } else answer(oslo)
    const over = await taskInStatus(one, taskId, 'completed')
    expect(await taskResult(one, over)).toMatchObject({ content: [{ text: 'arrived at Oslo' }] })
  })

  it('support tasks that succeed, fail and reject arguments as calls do', async () => {
    const { url } = await gateway([await tasks(server)])
    const one = await client(url, { revision: caller })
    const ended = async (name: string, status: string) => {
      const { taskId } = await createTask(one, name, { arguments: name === 'add' ? { a: 1 } : {} })
      return taskInStatus(one, taskId, status)
    }
    // The revisions disagree about the status of a task whose tool has failed.
    const asFailed = caller === modern ? 'completed' : 'failed'
    const all = [ended('add', 'completed'), ended('fail', asFailed), ended('object', 'failed')] as const
    const [added, failed, objected] = await Promise.all(all)
    expect(await taskResult(one, added)).toMatchObject({ structuredContent: { sum: 2 } })
    expect(await taskResult(one, failed)).toMatchObject({ isError: true, content: [{ text: 'No paper' }] })
    const error = { code: 4242, message: 'not like this' }
    if (caller === modern) expect(objected.error).toEqual(error)
    else await expect(taskResult(one, objected)).rejects.toMatchObject(error)
  })

  it('GW-013 relay the cancellation of a task to the server', async () => {
    const { url } = await gateway([await tasks(server)])
    const one = await client(url, { revision: caller })
    const { taskId } = await createTask(one, 'wait')
    await expect.poll(() => counts(one)).toEqual({ begun: 1 })
    await one.request('tasks/cancel', { taskId })
    expect(await getTask(one, taskId)).toMatchObject({ status: 'cancelled' })
    await expect.poll(() => counts(one)).toEqual({ begun: 1, cancelled: 1 })
    expect(await getTask(one, taskId)).toMatchObject({ status: 'cancelled' })
  })

  it('end a task with an unknown outcome after its server is lost', async () => {
    const { url } = await gateway([tasksOnPipe(server)])
    const one = await client(url, { revision: caller })
    const { taskId } = await createTask(one, 'die')
    const over = await taskInStatus(one, taskId, caller === modern ? 'completed' : 'failed')
    expect(await taskResult(one, over)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^tasks: outcome_unknown/) }],
    })
  })
})

describe('a tool with optional tasks', () => {
  it.each(tasking)('runs as a task at its server of 2025-11-25 if its caller of %s uses one, and only then', async (caller) => {
    const { url } = await gateway([await tasks('2025-11-25')])
    const one = await client(url, { revision: caller })
    const { taskId } = await createTask(one, 'how')
    expect(await taskResult(one, await taskInStatus(one, taskId, 'completed'))).toMatchObject({
      content: [{ text: 'as a task' }],
    })
    const other = await client(url, { revision: caller, tasks: false })
    expect(words(await other.call('tasks__how'))).toBe('as a call')
  })
})

describe('a caller without tasks', () => {
  it.each(
    tasking.flatMap((server) => older.slice(0, 3).map((caller) => ({ server, caller }))),
  )('calls at $caller a tool that is a task at $server', async ({ server, caller }) => {
    const { url } = await gateway([await tasks(server)])
    const one = await client(url, { revision: caller })
    expect(await called(one, 'add', { arguments: { a: 1 } })).toMatchObject({ content: [{ text: '{"sum":2}' }] })
    // This tool requires a task, and the first two revisions cannot ask.
    expect(
      words(await one.call('tasks__walk').catch((thrown) => ({ content: [{ type: 'text', text: String(thrown) }] }))),
    ).toMatch(/elicitation/)
    await expect(one.request('tasks/get', { taskId: 'any' })).rejects.toMatchObject({ code: -32601 })
  })

  it.each(tasking)('or without the capability at 2026-07-28 calls a tool that is a task at %s', async (server) => {
    const { url } = await gateway([tasksOnPipe(server)])
    const answer = await undeclared(url, 'tools/call', { name: 'tasks__add', arguments: { a: 1 } })
    expect(answer.result).toMatchObject({ resultType: 'complete', structuredContent: { sum: 2 } })
    // This tool requires a task and asks a question, which is asked as in any call.
    const asked = await undeclared(url, 'tools/call', { name: 'tasks__walk', arguments: {} })
    expect(asked.result).toMatchObject({ resultType: 'input_required', inputRequests: expect.anything() })
    expect((await undeclared(url, 'tasks/get', { taskId: 'any' })).error).toMatchObject({ code: -32021 })
  })
})

describe('the task support of tools', () => {
  const supportOf = async (server: string, caller: string) => {
    const { url } = await gateway([await tasks(server)])
    const tools = await (await client(url, { revision: caller })).listTools()
    return Object.fromEntries(tools.map(({ name, taskSupport }) => [name, taskSupport]))
  }

  it('is relayed if tools declare it', async () => {
    expect(await supportOf('2025-11-25', '2025-11-25')).toMatchObject({
      tasks__walk: 'required',
      tasks__add: 'optional',
      tasks__plain: undefined,
    })
  })

  it('is optional for all of them if the server decides', async () => {
    const all = await supportOf(modern, '2025-11-25')
    expect(new Set(Object.values(all))).toEqual(new Set(['optional']))
  })

  it.each(['2025-06-18', modern])('is absent at %s', async (caller) => {
    expect(new Set(Object.values(await supportOf('2025-11-25', caller)))).toEqual(new Set([undefined]))
  })

  it('is enforced: a plain call that requires a task is refused, and so is an unsupported task', async () => {
    const { url } = await gateway([await tasks('2025-11-25')])
    const one = await client(url, { revision: '2025-11-25' })
    await expect(called(one, 'walk', { task: undefined as never })).rejects.toMatchObject({ code: -32601 })
    await expect(called(one, 'plain')).rejects.toMatchObject({ code: -32601 })
  })

  it.each(tasking)('does not turn a call at %s that ends at once into a task', async (server) => {
    const { url } = await gateway([await tasks(server)])
    const one = await client(url, { revision: modern })
    expect(await called(one, 'plain')).toMatchObject({ resultType: 'complete', content: [{ text: 'plain' }] })
  })

  it.each(tasking)('lets a slow call at %s be cancelled like any other', async (server) => {
    const { url } = await gateway([await tasks(server)])
    const one = await client(url, { revision: modern })
    const stop = new AbortController()
    const call = one.call('tasks__hold', {}, { signal: stop.signal })
    await expect.poll(() => counts(one)).toEqual({ begun: 1 })
    stop.abort()
    await expect(call).rejects.toMatchObject({ code: 'cancelled' })
    await expect.poll(() => counts(one)).toEqual({ begun: 1, cancelled: 1 })
  })
})

describe('a task of one caller', () => {
  const authenticate = async ({ header }: { header: (name: string) => string | undefined }) => {
    const id = header('x-who')
    return id === undefined ? undefined : { id, scopes: [] }
  }
  const as = (url: string, who: string, revision: string) => client(url, { revision, headers: { 'x-who': who } })

  it.each(tasking)('TASKL-014 TASKX-019 is invisible to another caller at %s, who cannot end it either', async (revision) => {
    const { url } = await gateway([await tasks('2025-11-25')], { listen: { authenticate } })
    const [ada, bob] = [await as(url, 'ada', revision), await as(url, 'bob', revision)]
    const { taskId } = await createTask(ada, 'wait')
    const methods = ['tasks/get', 'tasks/cancel', revision === modern ? 'tasks/update' : 'tasks/result']
    for (const id of [taskId, 'never-made'])
      for (const method of methods)
        await expect(bob.request(method, { taskId: id, inputResponses: {} })).rejects.toMatchObject(absent)
    if (revision !== modern) {
      expect(await bob.request('tasks/list')).toMatchObject({ tasks: [] })
      expect(await ada.request('tasks/list')).toMatchObject({ tasks: [{ taskId }] })
    }
    expect(await getTask(ada, taskId)).toMatchObject({ status: 'working' })
    await expect.poll(() => counts(ada)).toEqual({ begun: 1 })
  })

  it('TASKL-019 TASKL-013 has limits of number and time, which do not affect other callers', async () => {
    const { url } = await gateway([await tasks('2025-11-25')], { listen: { authenticate } })
    const ada = await as(url, 'ada', '2025-11-25')
    const year = 31_536_000_000
    expect(await createTask(ada, 'wait', { task: { ttl: year } })).toMatchObject({ ttl: 86_400_000 })
    for (let count = 1; count < 100; count++) await createTask(ada, 'wait')
    expect(await called(ada, 'wait')).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('Too many tasks') }],
    })
    const bob = await as(url, 'bob', '2025-11-25')
    expect(await createTask(bob, 'wait')).toMatchObject({ status: 'working' })
  })

  it('ends with its time to live, at the server too', async () => {
    const { url } = await gateway([await tasks('2025-11-25')])
    const one = await client(url, { revision: '2025-11-25' })
    const { taskId } = await createTask(one, 'wait', { task: { ttl: 3_000 } })
    await expect.poll(() => counts(one)).toEqual({ begun: 1, cancelled: 1 })
    await expect(getTask(one, taskId)).rejects.toMatchObject(absent)
  })
})

/** A request of 2026-07-28 without capabilities. */
async function undeclared(url: string, method: string, params: JsonObject): Promise<JsonObject> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': modern,
      'mcp-method': method,
      'mcp-name': String(params.name ?? params.taskId),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': modern,
          'io.modelcontextprotocol/clientInfo': { name: 'bare', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
        },
      },
    }),
  })
  const text = await response.text()
  const data = text.startsWith('{') ? text : (text.split('data: ').at(-1) ?? '')
  return JSON.parse(data) as JsonObject
}
