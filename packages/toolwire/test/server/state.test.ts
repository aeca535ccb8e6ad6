import { ask, server, tool } from 'toolwire'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { Json, JsonObject } from '../../src/json.js'
import { Pipe, said } from './pipe.js'

afterEach(() => vi.useRealTimers())

const named = z.object({ name: z.string() })
const greet = tool({ description: 'Greets', asks: { who: ask('Who?', named) }, run: (_, ctx) => `Hello ${ctx.answers.who.name}` })
const echo = tool({ description: 'Says it again', input: z.object({ text: z.string() }), run: ({ text }) => text })
const long = tool({ description: 'Takes long', longRunning: 'required', run: () => 'the result' })
const secret = 'the same in every replica, thirty-two characters'
const replica = () => server({ name: 'shop', version: '1.0.0', tools: { greet, echo, long }, secret })

const able = said({ elicitation: { form: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } })
const call = (pipe: Pipe, name: string, more: JsonObject = {}) => pipe.ask('tools/call', { name, ...more, ...able })
const ada = { who: { action: 'accept', content: { name: 'Ada' } } }

/** The state that a first round returns to the client. */
async function asked(pipe: Pipe): Promise<Json> {
  const { result } = await call(pipe, 'greet')
  expect(result).toMatchObject({ resultType: 'input_required' })
  return result?.requestState ?? null
}

async function taskOf(pipe: Pipe): Promise<string> {
  return String((await call(pipe, 'long')).result?.taskId)
}

const task = (pipe: Pipe, taskId: string) => pipe.ask('tasks/get', { taskId, ...able })

describe('In 2026-07-28', () => {
  it('STATE-001 requests may use any connection or replica, in any order', async () => {
    const requests = [
      ['server/discover', {}],
      ['tools/list', {}],
      ['tools/call', { name: 'echo', arguments: { text: 'a' } }],
      ['tools/call', { name: 'echo', arguments: { text: 1 } }],
      ['tools/call', { name: 'nothing' }],
      ['no/such/method', {}],
    ] as const
    const one = new Pipe(replica())
    const expected = new Map<string, Json>()
    for (const [method, params] of requests)
      expected.set(JSON.stringify([method, params]), answerOf(await one.ask(method, { ...params, ...said() })))

    const pipes = [replica(), replica(), replica()].flatMap((app) => [new Pipe(app), new Pipe(app)])
    const shuffled = [5, 2, 0, 4, 1, 3, 3, 0, 5, 2, 4, 1].map((at) => requests[at] ?? requests[0])
    for (const [at, [method, params]] of shuffled.entries()) {
      const reply = await (pipes[(at * 5) % pipes.length] as Pipe).ask(method, { ...params, ...said() })
      expect(answerOf(reply)).toEqual(expected.get(JSON.stringify([method, params])))
    }
  })

  it('STATE-002 a question may be answered to another process than the one that asked it', async () => {
    const requestState = await asked(new Pipe(replica()))
    const { result } = await call(new Pipe(replica()), 'greet', { requestState, inputResponses: ada })
    expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'Hello Ada' }] })
  })

  it('STATE-002 a task is found from another connection', async () => {
    const app = replica()
    const taskId = await taskOf(new Pipe(app))
    // The task continues by itself, and can be polled at any time.
    const result = async () => (await task(new Pipe(app), taskId)).result
    await expect.poll(result).toMatchObject({ taskId, status: 'completed' })
  })

  it('STATE-003 the server keeps no state except by a handle in the request', async () => {
    const pipe = new Pipe(replica())
    await asked(pipe)
    expect((await call(pipe, 'greet')).result).toMatchObject({ resultType: 'input_required' })
    await taskOf(pipe)
    expect((await pipe.ask('tasks/get', able)).error).toMatchObject({ code: -32602 })
  })

  it('STATE-004 two conversations share a pipe without affecting each other', async () => {
    const pipe = new Pipe(replica())
    const [first, second] = [await asked(pipe), await asked(pipe)]
    const talk = async (requestState: Json, name: string) => {
      const echoes = await Promise.all([1, 2, 3].map((turn) => call(pipe, 'echo', { arguments: { text: `${name}${turn}` } })))
      const greeted = await call(pipe, 'greet', {
        requestState,
        inputResponses: { who: { action: 'accept', content: { name } } },
      })
      return [...echoes, greeted].map(({ result }) => (result?.content as { text: string }[])[0]?.text)
    }
    expect(await Promise.all([talk(first, 'Ada'), talk(second, 'Bob')])).toEqual([
      ['Ada1', 'Ada2', 'Ada3', 'Hello Ada'],
      ['Bob1', 'Bob2', 'Bob3', 'Hello Bob'],
    ])
  })

  it('STATE-006 a handle works only for its own caller', async () => {
    const app = replica()
    const [alice, bob] = [new Pipe(app, { id: 'alice', scopes: [] }), new Pipe(app, { id: 'bob', scopes: [] })]
    const requestState = await asked(alice)
    expect((await call(bob, 'greet', { requestState, inputResponses: ada })).error).toMatchObject({ code: -32602 })
    const taskId = await taskOf(alice)
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      const reply = await bob.ask(method, { taskId, inputResponses: {}, ...able })
      expect([method, reply.error?.code]).toEqual([method, -32602])
    }
    expect(bob.texts.join()).not.toContain('the result')
    expect((await task(alice, taskId)).result).toMatchObject({ status: 'completed' })
    expect((await call(alice, 'greet', { requestState, inputResponses: ada })).result).toMatchObject({ resultType: 'complete' })
  })

  it('STATE-007 handles cannot be guessed', async () => {
    const pipe = new Pipe(replica())
    const ids = await Promise.all(Array.from({ length: 50 }, () => taskOf(pipe)))
    expect(new Set(ids).size).toBe(50)
    // A version 4 UUID has 122 random bits.
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const states = new Set(await Promise.all(Array.from({ length: 50 }, () => asked(pipe))))
    expect(states.size).toBe(50)
    const [state] = [...states] as string[]
    const altered = `${state?.slice(0, 40)}${state?.[40] === 'A' ? 'B' : 'A'}${state?.slice(41)}`
    expect((await call(pipe, 'greet', { requestState: altered, inputResponses: ada })).error).toMatchObject({ code: -32602 })
  })

  it('STATE-007 handles expire, and later use is refused with a reason', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const pipe = new Pipe(replica())
    const requestState = await asked(pipe)
    vi.setSystemTime(Date.now() + 601_000)
    expect((await call(pipe, 'greet', { requestState, inputResponses: ada })).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('expired'),
    })
    vi.useRealTimers()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const taskId = await taskOf(pipe)
    const { ttlMs } = (await task(pipe, taskId)).result as { ttlMs: number }
    await vi.advanceTimersByTimeAsync(ttlMs)
    expect((await task(pipe, taskId)).error).toMatchObject({ code: -32602 })
  })
})

const answerOf = ({ result, error }: { result?: JsonObject; error?: JsonObject }): Json => result ?? error ?? null
