// Tasks with a client and a server of other authors.
import { createRequire } from 'node:module'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { type CallToolRequest, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tasking, tasks } from '../support/task-fixture.js'
import { child, client, gateway, modern, upstream, words } from '../support/upstream-fixture.js'

const everything = createRequire(import.meta.url)
  .resolve('@modelcontextprotocol/server-everything/package.json')
  .replace('package.json', 'dist/index.js')

async function officialCaller(url: string): Promise<ClientV1> {
  const client = new ClientV1({ name: 'v1', version: '1.0.0' }, { capabilities: { elicitation: { form: {} } } })
  client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: { place: 'Rome' } }))
  await client.connect(new HttpV1(new URL(url)))
  onTestFinished(() => client.close())
  await client.listTools()
  return client
}

/** All messages that the caller receives during the call. */
async function messagesOf(caller: ClientV1, params: CallToolRequest['params']) {
  const all: { type: string; status?: string; result?: unknown; error?: Error }[] = []
  const messages = caller.experimental.tasks.callToolStream(params, undefined, { task: { ttl: 60_000 } })
  for await (const message of messages) all.push({ ...message, ...('task' in message && { status: message.task.status }) })
  return { kinds: [...new Set(all.map(({ type }) => type))], last: all.at(-1) }
}

describe('the client of the official SDK v1', () => {
  it.each(tasking)('supports tasks at a server of %s: create, follow, answer, end', async (server) => {
    const { url } = await gateway([await tasks(server)])
    const caller = await officialCaller(url)
    const { kinds, last } = await messagesOf(caller, { name: 'tasks__walk', arguments: {} })
    expect(kinds).toEqual(['taskCreated', 'taskStatus', 'result'])
    expect(last).toMatchObject({ result: { content: [{ text: 'arrived at Rome' }] } })
    const failed = await messagesOf(caller, { name: 'tasks__fail', arguments: {} })
    expect(String(failed.last?.error)).toContain('failed')
  })

  it('cancels its task, and sees it cancelled', async () => {
    const { url } = await gateway([await tasks('2025-11-25')])
    const caller = await officialCaller(url)
    const { tasks: own } = caller.experimental
    for await (const message of own.callToolStream({ name: 'tasks__wait', arguments: {} }, undefined, { task: {} })) {
      if (message.type !== 'taskCreated') continue
      const { taskId } = message.task
      await own.cancelTask(taskId)
      expect(await own.getTask(taskId)).toMatchObject({ status: 'cancelled' })
      break
    }
  })
})

describe('server-everything', () => {
  it('runs its research as a task for callers whose revision has tasks, and as a call for others', async () => {
    const { url } = await gateway([upstream('all', child(everything, 'stdio'))])
    const idsOf = async (revision: string) => {
      const one = await client(url, { revision })
      const ids: string[] = []
      const onTask = (taskId: string) => ids.push(taskId)
      const result = await one.call('all__simulate-research-query', { topic: 'mugs' }, { onTask })
      expect(words(result)).toContain('mugs')
      return ids.length
    }
    expect(await Promise.all(['2025-06-18', '2025-11-25', modern].map(idsOf))).toEqual([0, 1, 1])
  })
})
