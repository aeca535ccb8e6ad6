// Timeouts of requests.
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { type Client, connect } from '../../src/client/index.js'
import { listen } from '../../src/node.js'
import type { Policy } from '../../src/policy/policy.js'
import type { types } from '../../src/relay/index.js'
import { server } from '../../src/server/server.js'
import { tool } from '../../src/tools/define-tool.js'
import { every, since } from '../revisions.js'
import { expectAfter, expectWithin } from '../soak.js'
import {
  connectScripted,
  Fails,
  plainTool,
  type RequestHandler,
  type Script,
  silence,
  textResult,
  toolsPage,
} from './scripted.js'

const listed = { 'tools/list': toolsPage([plainTool('work')]) }
const lists = {
  'resources/list': silence,
  'resources/templates/list': silence,
  'resources/read': silence,
  'prompts/list': silence,
  'prompts/get': silence,
  'completion/complete': silence,
} as const
const capabilities = { tools: {}, resources: {}, prompts: {}, completions: {} }
const idle = { idleMs: 30 }
const requests: readonly ((client: Client) => Promise<unknown>)[] = [
  (client) => client.listResources(idle),
  (client) => client.listResourceTemplates(idle),
  (client) => client.readResource('x:1', idle),
  (client) => client.listPrompts(idle),
  (client) => client.getPrompt('x', {}, idle),
  (client) => client.complete({ type: 'ref/prompt', name: 'x' }, { name: 'a', value: 'b' }, idle),
]

/** Reports progress at an interval, and returns after the given number of reports. */
const reporting = (everyMs: number, reports: number): Script => ({
  ...listed,
  'tools/call': async ({ params }, scriptedServer) => {
    const { progressToken } = params._meta as { progressToken: number }
    for (let progress = 1; progress <= reports; progress++) {
      await new Promise((resolve) => setTimeout(resolve, everyMs))
      scriptedServer.notify('notifications/progress', { progressToken, progress })
    }
    return textResult('done')
  },
})
const onProgress = () => undefined

describe.each(every)('%s', (revision) => {
  it('TOUT-001 times out any unanswered request, and cancels it', async () => {
    const { client, server: scriptedServer } = await connectScripted({ ...listed, ...lists }, { revision, capabilities })
    for (const request of requests) await expect(request(client)).rejects.toMatchObject({ code: 'timed_out' })
    await expect.poll(() => scriptedServer.received('notifications/cancelled')).toHaveLength(requests.length)
  })
})

it('TOUT-001 times out a call to a pocket server that hangs, and notifies the server', async () => {
  let stopped = 0
  const hang = tool({
    description: 'Hangs.',
    run: (_, { signal }) =>
      new Promise<string>(() => {
        signal.addEventListener('abort', () => stopped++)
      }),
  })
  const app = server({ name: 'pocket', version: '1.0.0', profile: 'pocket', tools: { hang } })
  await using client = await connect(app, { limits: { idleMs: 800 } })
  await expect(client.call('hang')).rejects.toMatchObject({ code: 'outcome_unknown' })
  await expect.poll(() => stopped).toBe(1)
})

/** Lists its tools once; later list requests are not answered. */
function listingOnce(): RequestHandler {
  let lists = 0
  return () => (lists++ === 0 ? toolsPage([plainTool('work')]) : silence)
}

it('TOUT-002 looks up a tool no longer than the timeout of the caller', async () => {
  const retried = () =>
    connectScripted(
      { 'tools/list': listingOnce(), 'tools/call': new Fails(-32020, 'headers and body differ') },
      { revision: '2026-07-28', shape: 'posts' },
    )
  const judged = async () => {
    const policy: Policy = {
      name: 'judge',
      call: (call, next) => {
        made.server.notify('notifications/tools/list_changed')
        return next(call)
      },
    }
    const script = { 'tools/list': listingOnce(), 'tools/call': textResult('done') }
    const made = await connectScripted(script, { revision: '2025-11-25', options: { policies: [policy] } })
    return made
  }
  for (const opened of [retried, judged]) {
    const timed = await opened()
    await expect(timed.client.call('work', {}, { totalMs: 200 })).rejects.toMatchObject({ code: 'timed_out' })
    const { client, server: scriptedServer } = await opened()
    const stop = new AbortController()
    const call = client.call('work', {}, { signal: stop.signal }).catch((thrown) => thrown.code)
    await expect.poll(() => scriptedServer.received('tools/list')).toHaveLength(2)
    stop.abort()
    expect(await call).toBe('cancelled')
  }
})

describe.each(since('2025-03-26'))('%s', (revision) => {
  it('TOUT-002 applies the timeout of the caller to each call', async () => {
    const { client } = await connectScripted(
      { ...listed, 'tools/call': silence },
      { revision, options: { limits: { idleMs: 60_000, totalMs: 60_000 } } },
    )
    await client.listTools()
    const ends: string[] = []
    const stop = new AbortController()
    const calls = [
      client.call('work', {}, { idleMs: 20 }).catch(({ message }) => ends.push(`idle: ${message}`)),
      client.call('work', {}, { totalMs: 150 }).catch(({ message }) => ends.push(`total: ${message}`)),
      client.call('work', {}, { signal: stop.signal }).catch(() => ends.push('never')),
    ]
    await Promise.all(calls.slice(0, 2))
    expect(ends.toSorted()).toEqual([expect.stringMatching(/^idle: .*20 ms/), expect.stringMatching(/^total: .*150 ms/)])
    stop.abort()
    await Promise.all(calls)
  })

  it('TOUT-003 extends the timeout while progress comes', async () => {
    const { client } = await connectScripted(reporting(200, 10), { revision })
    const began = performance.now()
    await expect(client.call('work', {}, { idleMs: 1_500, onProgress })).resolves.toMatchObject({ isError: false })
    expectAfter(performance.now() - began, 1_600)
  })

  it('TOUT-004 limits the total time of a call, whatever progress it makes', async () => {
    const { client, server: scriptedServer } = await connectScripted(reporting(20, 100), { revision })
    const began = performance.now()
    await expect(client.call('work', {}, { idleMs: 1_000, totalMs: 150, onProgress })).rejects.toMatchObject({
      code: 'outcome_unknown',
      message: expect.stringContaining('totalMs'),
    })
    expectWithin(performance.now() - began, 1_000)
    await expect.poll(() => scriptedServer.received('notifications/cancelled')).toHaveLength(1)
  })
})

it.each([
  '2025-06-18',
  '2025-11-25',
])('TOUT-001 times out a call while another call waits for an answer, over HTTP in %s', async (revision) => {
  const asks = tool({
    description: 'Asks',
    run: async (_, ctx) => (await ctx.ask('name', 'Who?', z.object({ name: z.string() }))).name,
  })
  const hangs = tool({ description: 'Hangs', run: () => new Promise<string>(() => undefined) })
  const listening = await listen(server({ name: 'a', version: '1', tools: { asks, hangs } }), { signals: false })
  onTestFinished(() => listening.close())
  let answer: (() => void) | undefined
  const form = () =>
    new Promise<types.FormAnswer>((resolve) => {
      answer = () => resolve({ action: 'accept', content: { name: 'Ada' } })
    })
  await using client = await connect(listening.url, { revision, answers: { form } })
  await client.listTools()
  // It is under way before the question comes, which would stop its clock.
  const hanging = client.call('hangs', {}, { idleMs: 1_000 })
  hanging.catch(() => undefined)
  const asking = client.call('asks')
  await expect.poll(() => answer).toBeDefined()
  await expect(hanging).rejects.toThrow('was silent')
  answer?.()
  expect(await asking).toMatchObject({ content: [{ text: 'Ada' }] })
})
