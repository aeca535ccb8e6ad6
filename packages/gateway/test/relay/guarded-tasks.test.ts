// Tasks behind a running gateway: rules, approvals, limits and the log treat them like calls.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultGuard } from '../../src/config/gateway-config.js'
import { taskApp } from '../programs/task-server.mjs'
import { ask, client, folder, http, pending, started, upstreamConfig } from '../support/running-gateway.js'
import { called, counts, createTask, getTask, taskInStatus, tasking, taskResult } from '../support/task-fixture.js'
import { listening, modern } from '../support/upstream-fixture.js'

const open = { ...defaultGuard, approvals: false, rate: false } as const
type Given = Parameters<typeof started>[0]

async function behind(server: string, more: Given = {}) {
  const { url } = await listening(taskApp(server))
  const gateway = await started({ upstreams: [upstreamConfig('tasks', http(url))], guard: open, ...more })
  return { gateway, url }
}

type Gateway = Awaited<ReturnType<typeof started>>
type Recorded = { readonly outcome?: string; readonly caller: string }

const recorded = async (gateway: Gateway, tool: string): Promise<readonly Recorded[]> =>
  (await ask(gateway, `/audit?tool=tasks__${tool}`)).body.calls as readonly Recorded[]

/** Rules that deny one tool to all callers, which hides it, and restrict the arguments of another. */
function denying(): string {
  const path = join(folder(), 'policy.yaml')
  const rules = [
    '{ name: no walks, when: { tool: tasks__wa* }, decision: deny }',
    '{ name: no thirteens, when: { tool: tasks__add, arguments: { a: { const: 13 } } }, decision: deny, because: bad luck }',
  ]
  writeFileSync(path, `version: 1\ndefault: allow\nrules:\n  - ${rules.join('\n  - ')}\n`)
  return path
}

describe.each(tasking)('a task of a caller of %s', (revision) => {
  it('is in the log once, with its outcome', async () => {
    const { gateway } = await behind('2025-11-25')
    const one = await client(gateway.url, { revision })
    const { taskId } = await createTask(one, 'add', { arguments: { a: 1 } })
    await taskInStatus(one, taskId, 'completed')
    expect(await recorded(gateway, 'add')).toMatchObject([{ outcome: 'ok', caller: 'local' }])
    const wait = await createTask(one, 'wait')
    await expect.poll(() => counts(one)).toEqual({ begun: 1 })
    await one.request('tasks/cancel', { taskId: wait.taskId })
    await expect.poll(() => recorded(gateway, 'wait')).toMatchObject([{ outcome: 'cancelled' }])
    expect((await ask(gateway, '/audit/verify')).body).toMatchObject({ ok: true })
  })

  it('is created after an approval, for which it waits', async () => {
    const { gateway } = await behind('2025-11-25', { guard: { ...open, approvals: true } })
    const one = await client(gateway.url, { revision })
    const task = createTask(one, 'add', { arguments: { a: 1 }, _meta: { progressToken: 1 } })
    const { id } = await pending(gateway)
    await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow' } })
    const over = await taskInStatus(one, (await task).taskId, 'completed')
    expect(await taskResult(one, over)).toMatchObject({ structuredContent: { sum: 2 } })
  })

  it('UX-007 is refused by a rule, and nothing reaches the server', async () => {
    const { gateway, url } = await behind('2025-11-25', { policy: denying() })
    const one = await client(gateway.url, { revision })
    const answer = await called(one, 'add', { arguments: { a: 13 } })
    // If clients request tasks, the refusal is the result of one.
    const result = revision === modern ? answer : await taskResult(one, (answer as { task: never }).task)
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('bad luck') }] })
    expect(await counts(await client(url), 'counts')).toEqual({})
    expect(await recorded(gateway, 'add')).toMatchObject([{ outcome: 'refused' }])
  })

  it('is not created for a hidden tool, which gets the same error as an unknown one', async () => {
    const { gateway } = await behind('2025-11-25', { policy: denying() })
    const one = await client(gateway.url, { revision })
    for (const name of ['wait', 'walk', 'nothing'])
      for (const more of [{}, { task: undefined as never }])
        await expect(called(one, name, more)).rejects.toMatchObject({ code: -32602, message: `Unknown tool: tasks__${name}` })
  })

  it('is not created for an unaccepted tool, and the caller gets the reason at once', async () => {
    const { gateway } = await behind('2025-11-25', { guard: { ...open, pins: 'strict' } })
    const one = await client(gateway.url, { revision })
    for (const name of ['wait', 'walk'])
      for (const more of [{}, { task: undefined as never }])
        expect(await called(one, name, more)).toMatchObject({
          isError: true,
          content: [{ text: expect.stringContaining('not been accepted') }],
        })
  })

  it('ends with the gateway: the server and the log learn it, and the next gateway does not know the task', async () => {
    const dataDir = join(folder(), 'data')
    const { gateway, url } = await behind(modern, { dataDir })
    const one = await client(gateway.url, { revision })
    const { taskId } = await createTask(one, 'wait')
    const direct = await client(url)
    const counted = () => counts(direct, 'counts')
    await expect.poll(counted).toEqual({ begun: 1 })
    await gateway.close({ drainMs: 0 })
    await expect.poll(counted).toEqual({ begun: 1, cancelled: 1 })
    const next = await started({ upstreams: gateway.config.upstreams, guard: open, dataDir })
    const again = await client(next.url, { revision })
    await expect(getTask(again, taskId)).rejects.toMatchObject({
      code: -32602,
      message: 'params.taskId names no task of this caller',
    })
    expect(await recorded(next, 'wait')).toMatchObject([{ outcome: 'cancelled' }])
  })
})

describe('a call of the operator', () => {
  it.each(tasking)('is never a task, so that it can be followed, at a server of %s', async (server) => {
    const { gateway } = await behind(server)
    await expect.poll(() => gateway.server.tools.names).toContain('tasks__steps')
    const steps: number[] = []
    const result = await gateway.control.call(
      'tasks__steps',
      {},
      {
        caller: { id: 'ada', scopes: ['*'] },
        signal: new AbortController().signal,
        onProgress: ({ progress }) => steps.push(progress),
      },
    )
    expect(result).toMatchObject({ isError: false, content: [{ text: 'arrived' }] })
    if (server !== modern) expect(steps.at(-1)).toBe(3)
    expect(await recorded(gateway, 'steps')).toMatchObject([{ outcome: 'ok', caller: 'ada' }])
  })
})

describe('a task that waits for approval', () => {
  it('is kept for as long as it is pending, without progress for its caller', async () => {
    const { gateway } = await behind('2025-11-25', { guard: { ...open, approvals: true } })
    const one = await client(gateway.url, { revision: '2025-11-25' })
    const { taskId } = await createTask(one, 'add', { arguments: { a: 1 } })
    const { id, held } = await pending(gateway)
    expect(held).toBe(true)
    await ask(gateway, `/approvals/${id}`, { body: { decision: 'deny', reason: 'not on a Sunday' } })
    const over = await taskInStatus(one, taskId, 'failed')
    expect(over.statusMessage).toContain('not on a Sunday')
  })
})
