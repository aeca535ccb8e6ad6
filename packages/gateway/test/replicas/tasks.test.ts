// Tasks at one replica, and requests about them at the others.
import type { JsonObject } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { taskApp } from '../programs/task-server.mjs'
import { replicaGateways } from '../support/replica-gateways.js'
import { upstreamConfig } from '../support/running-gateway.js'
import { counts, createTask, taskInStatus, tasking, taskResult } from '../support/task-fixture.js'
import { client, http, listening, modern, words } from '../support/upstream-fixture.js'

async function behind() {
  const { url } = await listening(taskApp(modern))
  return replicaGateways({ upstreams: [upstreamConfig('tasks', http(url), { trusted: true })] })
}

const rome = { action: 'accept' as const, content: { place: 'Rome' } }

describe.each(tasking)('a task of a client of %s', (revision) => {
  it('asks, continues and ends, with each request at another replica', async () => {
    const fleet = await behind()
    const one = await client(fleet.url, { revision, answers: { form: () => rome } })
    for (let walked = 1; walked <= 3; walked++) {
      expect(words(await one.call('tasks__walk', {}, { asTask: true }))).toBe('arrived at Rome')
      expect(await counts(one)).toEqual({ walked })
    }
    expect(fleet.sent.every((requests) => requests > 0)).toBe(true)
  })

  it('is answered, read and cancelled through each other replica', async () => {
    const fleet = await behind()
    const one = await client(fleet.url, { revision })
    await one.listTools()
    for (const other of [0, 1, 2]) {
      fleet.turnTo(0)
      const { taskId } = await createTask(one, 'wait')
      expect(taskId).toMatch(/^replica-0\./)
      await expect.poll(() => counts(one)).toMatchObject({ begun: other + 1 })
      fleet.turnTo(other)
      await one.request('tasks/cancel', { taskId })
      await taskInStatus(one, taskId, 'cancelled')
      await expect.poll(() => counts(one)).toMatchObject({ begun: other + 1, cancelled: other + 1 })
    }
    fleet.turnTo(0)
    const task = await createTask(one, 'add', { arguments: { a: 1 } })
    fleet.turnTo(2)
    const over = await taskInStatus(one, task.taskId, 'completed')
    expect((await taskResult(one, over)) as JsonObject).toMatchObject({ structuredContent: { sum: 2 } })
  })

  it('is unknown after its replica is gone', async () => {
    const fleet = await behind()
    const one = await client(fleet.url, { revision })
    await one.listTools()
    fleet.turnTo(0)
    const { taskId } = await createTask(one, 'wait')
    fleet.list.shift()
    await fleet.replicas[0]?.close({ drainMs: 0, delayMs: 0 })
    fleet.turnTo(1)
    await expect(one.request('tasks/get', { taskId })).rejects.toMatchObject({ code: -32602 })
  })
})
