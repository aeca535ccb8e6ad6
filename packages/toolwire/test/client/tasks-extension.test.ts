// Calls that the server turns into tasks. SEP-2663
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { FormAsked } from '../../src/client/client.js'
import { type ConnectOptions, connect } from '../../src/client/index.js'
import type { JsonObject } from '../../src/json.js'
import { TransportError } from '../../src/peer/client-transport.js'
import { passUntil } from './fake-time.js'
import { modern } from './questions.js'
import { connectScripted, Fails, plainTool, type Script, silence, textResult, toolsPage } from './scripted.js'

const capabilities = { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } }
const task = (status: string, more: JsonObject = {}): JsonObject => ({
  taskId: 'task-1',
  status,
  createdAt: '2026-07-28T10:30:00Z',
  lastUpdatedAt: '2026-07-28T10:40:00Z',
  ttlMs: 60_000,
  pollIntervalMs: 100,
  ...more,
})
const done = task('completed', { result: textResult('at last') })
const form = (message: string) => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { it: { type: 'string' } }, required: ['it'] },
  },
})
const asking = (...keys: string[]) =>
  task('input_required', { inputRequests: Object.fromEntries(keys.map((key) => [key, form(`question ${key}`)])) })

/** A server that answers calls to `slow` with a task; its statuses come in turn. */
function working(...statuses: JsonObject[]): Script {
  let looks = 0
  return {
    'tools/list': toolsPage([plainTool('slow'), plainTool('quick')]),
    'tools/call': ({ params }) => (params.name === 'slow' ? { resultType: 'task', ...task('working') } : textResult('at once')),
    'tasks/get': () => ({ resultType: 'complete', ...(statuses[Math.min(looks++, statuses.length - 1)] ?? {}) }),
    'tasks/update': { resultType: 'complete' },
    'tasks/cancel': { resultType: 'complete' },
  }
}

/** A person who fills in forms, with the forms that were shown. */
function person() {
  const asked: FormAsked[] = []
  const options: ConnectOptions = {
    name: 'the shop',
    answers: {
      form: (form) => {
        asked.push(form)
        return { action: 'accept', content: { it: `answer to ${form.message}` } }
      },
    },
  }
  return { asked, options }
}

afterEach(() => vi.useRealTimers())

describe(modern, () => {
  it('TASKX-003 accepts a result or a task, and declares so in the call', async () => {
    const { client, server } = await connectScripted(working(done), { revision: modern, capabilities })
    expect(await client.call('quick')).toMatchObject({ content: [{ text: 'at once' }] })
    expect(await client.call('slow')).toMatchObject({ content: [{ text: 'at last' }] })
    for (const { params } of server.received('tools/call')) {
      const declared = ((params as JsonObject)._meta as JsonObject)['io.modelcontextprotocol/clientCapabilities']
      expect(declared).toMatchObject({ extensions: { 'io.modelcontextprotocol/tasks': {} } })
    }
  })

  it('does not declare tasks if they are disabled', async () => {
    const { client, server } = await connectScripted(working(done), { revision: modern, capabilities, options: { tasks: false } })
    await client.call('quick')
    const [{ params } = {}] = server.received('tools/call')
    expect(JSON.stringify(params)).not.toContain('io.modelcontextprotocol/tasks')
  })

  it('TASKX-003 accepts no task as the response to another request', async () => {
    const created = { resultType: 'task', ...task('working') }
    const { client, server } = await connectScripted(
      { ...working(done), 'prompts/get': created, 'resources/read': created, 'completion/complete': created },
      { revision: modern, capabilities: { ...capabilities, prompts: {}, resources: {}, completions: {} } },
    )
    const refused = { name: 'CallFailure', code: 'bad_response' }
    await expect(client.getPrompt('x')).rejects.toMatchObject(refused)
    await expect(client.readResource('x:1')).rejects.toMatchObject(refused)
    await expect(client.complete({ type: 'ref/prompt', name: 'x' }, { name: 'a', value: 'b' })).rejects.toMatchObject(refused)
    expect(server.received('tasks/get')).toEqual([])
  })

  it('TASKX-003 returns the error of a task', async () => {
    const failed = task('failed', { error: { code: -32603, message: 'broke' } })
    const { client } = await connectScripted(working(failed), { revision: modern, capabilities })
    await expect(client.call('slow')).rejects.toMatchObject({ name: 'RpcError', code: -32603, message: 'broke' })
  })

  it('SECC-010 makes a call once, even if a request about its task fails with a header mismatch', async () => {
    const script = { ...working(), 'tasks/get': new Fails(-32020, 'headers and body differ') }
    const { client, server } = await connectScripted(script, { revision: modern, capabilities, shape: 'posts' })
    await expect(client.call('slow')).rejects.toMatchObject({
      code: 'outcome_unknown',
      message: expect.stringContaining('differ'),
    })
    expect(server.received('tasks/get')).toHaveLength(1)
    expect(server.received('tools/call')).toHaveLength(1)
  })

  it.each([
    ['disconnected', new TransportError('broken', 'the line was cut', { sent: true })],
    ['turned_away', new TransportError('unauthorized', 'HTTP 401', { sent: false, status: 401 })],
    ['bad_response', new TransportError('garbage', 'no message', { sent: true })],
    ['limit', new TransportError('too-large', 'too long', { sent: true })],
    ['bad_response', { resultType: 'complete' }],
  ])('SECC-010 reports an unknown outcome if polling fails: %s', async (code, reply) => {
    const codeOf = async (trusted: boolean) => {
      const listed = toolsPage([plainTool('slow', { annotations: { readOnlyHint: true } })])
      const script = { ...working(), 'tools/list': listed, 'tasks/get': reply }
      const { client } = await connectScripted(script, { revision: modern, capabilities, options: { trusted } })
      return client.call('slow').catch((thrown) => thrown.code)
    }
    expect(await codeOf(false)).toBe('outcome_unknown')
    expect(await codeOf(true)).toBe(code)
  })

  it('SECC-010 distinguishes an error about the answers of a task from one about the arguments', async () => {
    const script = { ...working(asking('a')), 'tasks/update': new Fails(-32602, 'no such task') }
    const { client } = await connectScripted(script, { revision: modern, capabilities, options: person().options })
    await expect(client.call('slow')).rejects.toMatchObject({ name: 'CallFailure', code: 'outcome_unknown' })
  })

  it('TOUT-002 polls a task no longer than the timeout of the caller', async () => {
    const { client, server } = await connectScripted({ ...working(), 'tasks/get': silence }, { revision: modern, capabilities })
    const late = { code: 'outcome_unknown', message: expect.stringMatching(/\(totalMs/) }
    await expect(client.call('slow', {}, { totalMs: 200 })).rejects.toMatchObject(late)
    await expect.poll(() => server.received('tasks/cancel')).toHaveLength(1)
  })

  it('TOUT-002 counts the time until a call becomes a task towards the timeout', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const slow: Script = {
      ...working(done),
      'tools/call': () => {
        vi.advanceTimersByTime(60_000)
        return { resultType: 'task', ...task('working') }
      },
    }
    const { client, server } = await connectScripted(slow, { revision: modern, capabilities })
    await expect(client.call('slow', {}, { totalMs: 60_000 })).rejects.toMatchObject({ code: 'outcome_unknown' })
    await expect.poll(() => server.received('tasks/cancel')).toHaveLength(1)
    expect(server.received('tasks/get')).toEqual([])
  })

  it('TOUT-002 resumes a task no longer than the timeout, whatever is silent', async () => {
    const scripts: Parameters<typeof connectScripted>[0][] = [{ 'tools/list': silence }, { ...working(), 'tasks/get': silence }]
    for (const script of scripts) {
      const { client } = await connectScripted(script, { revision: modern, capabilities })
      await expect(client.resume('task-1', { tool: 'slow', totalMs: 50 })).rejects.toMatchObject({ code: 'timed_out' })
      const stop = new AbortController()
      const resumed = client.resume('task-1', { tool: 'slow', signal: stop.signal })
      stop.abort()
      await expect(resumed).rejects.toMatchObject({ code: 'cancelled' })
    }
  })

  it('TASKX-012 polls at the interval of the server', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const script = working(task('working', { pollIntervalMs: 20_000 }), done)
    const { client, server } = await connectScripted(script, { revision: modern, capabilities })
    const call = client.call('slow')
    const looks = () => server.received('tasks/get').length
    const first = await passUntil(() => looks() === 1, 10)
    const second = await passUntil(() => looks() === 2, 250)
    expect([first >= 100, first < 1_000, first + second >= 20_100, second < 30_000]).toEqual([true, true, true, true])
    expect(await call).toMatchObject({ content: [{ text: 'at last' }] })
  })

  it('TASKX-012 lets another client resume the task, which asks no question twice', async () => {
    const { asked, options } = person()
    const taskId = await begun()
    expect(taskId).toBe('task-1')
    const { client, server } = await connectScripted(working(asking('a'), asking('a'), asking('a', 'b'), asking('b'), done), {
      revision: modern,
      capabilities,
      options,
    })
    expect(await client.resume(taskId, { tool: 'slow' })).toMatchObject({ content: [{ text: 'at last' }] })
    expect(asked.map(({ message }) => message)).toEqual(['question a', 'question b'])
    expect(server.received('tools/call')).toEqual([])
    expect(server.received('tasks/update').map(({ params }) => (params as JsonObject).inputResponses)).toEqual([
      { a: { action: 'accept', content: { it: 'answer to question a' } } },
      { b: { action: 'accept', content: { it: 'answer to question b' } } },
    ])
  })

  it('stops waiting when the caller does, even while a question is open', async () => {
    const never = { answers: { form: () => new Promise<never>(() => undefined) } }
    const { client, server } = await connectScripted(working(asking('a')), { revision: modern, capabilities, options: never })
    const stop = new AbortController()
    const call = client.call('slow', {}, { signal: stop.signal })
    await expect.poll(() => server.received('tasks/get')).toHaveLength(1)
    stop.abort()
    await expect(call).rejects.toMatchObject({ name: 'CallFailure', code: 'cancelled' })
    await expect.poll(() => server.received('tasks/cancel')).toHaveLength(1)
    await expect(client.resume('task-1', { signal: stop.signal })).rejects.toMatchObject({ code: 'cancelled' })
  })

  it('TASKX-013 passes the questions of a task to the same handler, in the same way', async () => {
    const { asked, options } = person()
    const { client } = await connectScripted(working(asking('a'), done), { revision: modern, capabilities, options })
    await client.call('slow')
    expect(asked).toMatchObject([{ server: 'the shop', message: 'question a' }])
  })

  it('TASKX-013 applies the same checks to the questions of a task', async () => {
    const bad = task('input_required', { inputRequests: { a: { method: 'wallet/empty', params: {} } } })
    const one = await connectScripted(working(bad, done), { revision: modern, capabilities, options: person().options })
    await expect(one.client.call('slow')).rejects.toMatchObject({ code: 'bad_response' })
    await expect.poll(() => one.server.received('tasks/cancel')).toHaveLength(1) // the question stays unanswered
    const misfit = { answers: { form: () => ({ action: 'accept', content: { it: 7 } }) as const } }
    const two = await connectScripted(working(asking('a'), done), { revision: modern, capabilities, options: misfit })
    await two.client.call('slow')
    expect((two.server.received('tasks/update')[0]?.params as JsonObject).inputResponses).toEqual({ a: { action: 'cancel' } })
    const { asked, options } = person()
    const many = working(asking(...Array.from({ length: 20 }, (_, n) => `q${n}`)), done)
    const three = await connectScripted(many, {
      revision: modern,
      capabilities,
      options: { ...options, limits: { questionsPerMinute: 5 } },
    })
    await three.client.call('slow')
    expect(asked).toHaveLength(5)
  })

  it('TASKX-014 names the task in a header of every request about it', async () => {
    const seen: string[] = []
    const replies: Record<string, JsonObject> = {
      'tools/call': { resultType: 'task', ...task('working') },
      'tasks/update': { resultType: 'complete' },
      'tasks/cancel': { resultType: 'complete' },
      'tasks/get': { resultType: 'complete', ...asking('a') },
    }
    const web = createServer((request, response) => {
      let text = ''
      request.on('data', (chunk) => {
        text += chunk
      })
      request.on('end', () => {
        const { id, method } = JSON.parse(text) as { id: number; method: string }
        seen.push(`${method} ${request.headers['mcp-method']} ${request.headers['mcp-name']}`)
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: replies[method] }))
      })
    })
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
    const { port } = web.address() as AddressInfo // the server listens on TCP
    const stop = new AbortController()
    const { options } = person()
    await using client = await connect(`http://127.0.0.1:${port}/mcp`, {
      ...options,
      revision: modern,
      discover: false,
      listFirst: false,
    })
    const call = client.call('slow', {}, { signal: stop.signal })
    await expect.poll(() => seen.length).toBeGreaterThan(2)
    stop.abort()
    await expect(call).rejects.toMatchObject({ code: 'cancelled' })
    await expect
      .poll(() => new Set(seen))
      .toEqual(
        new Set([
          'tools/call tools/call slow',
          'tasks/get tasks/get task-1',
          'tasks/update tasks/update task-1',
          'tasks/cancel tasks/cancel task-1',
        ]),
      )
    web.close()
  })
})

/** Begins a task in a client that then disconnects, and returns its id. */
async function begun(): Promise<string> {
  let begun = ''
  const { client } = await connectScripted(working(task('working')), { revision: modern, capabilities })
  const call = client.call(
    'slow',
    {},
    {
      onTask: (taskId) => {
        begun = taskId
      },
    },
  )
  await expect.poll(() => begun).not.toBe('')
  await client.close()
  await call.catch((thrown) => expect(thrown).toMatchObject({ name: 'CallFailure' }))
  return begun
}
