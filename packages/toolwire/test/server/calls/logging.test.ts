import { type Context, type Json, server, tool } from 'toolwire'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { every, until } from '../../revisions.js'
import '../../reported-faults.js'
import { judged } from '../../official-schemas.js'
import { call } from '../lines.js'

type Log = Context['log']
const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const
const marked = 'notifications/message'

const writing = (write: (log: Log) => void | Promise<void>, options: object = { logging: true }) =>
  server({
    name: 'shop',
    version: '1',
    tools: {
      work: tool({
        run: async (_, { log }) => {
          await write(log)
          return 'done'
        },
      }),
    },
    ...options,
  })

const everyLevel = (log: Log) => {
  for (const level of levels) log[level](level)
}
const said = (messages: readonly { params?: unknown }[]) => messages.map(({ params }) => (params as { data: Json }).data)

describe.each(every)('logs at %s', (revision) => {
  it('LOGG-001 are declared and sent', async () => {
    const t = await judged(writing(everyLevel), { revision, logLevel: 'debug' })
    await t.call('work')
    expect(await capabilities(t)).toHaveProperty('logging')
    expect(said(t.heard(marked))).toEqual(levels)
  })

  it('LOGG-001 are never sent if they are not declared', async () => {
    const t = await judged(writing(everyLevel, {}), { revision })
    await t.call('work', {}, { meta: revision < '2026' ? {} : { 'io.modelcontextprotocol/logLevel': 'debug' } })
    expect(await capabilities(t)).not.toHaveProperty('logging')
    expect(t.heard(marked)).toEqual([])
  })

  it.each(levels)('LOGG-002 LOGG-004 below %s are not sent', async (logLevel) => {
    const t = await judged(writing(everyLevel), { revision, logLevel })
    await t.call('work')
    expect(said(t.heard(marked))).toEqual(levels.slice(levels.indexOf(logLevel)))
  })

  it('LOGG-007 omit private data', async () => {
    const data = {
      user: 'ada',
      password: 'hunter2',
      nested: [{ apiKey: 'hunter2', 'Set-Cookie': 'hunter2' }],
      authToken: { deep: 'hunter2' },
    }
    const t = await judged(
      writing((log) => log.info(data)),
      { revision, logLevel: 'debug' },
    )
    await t.call('work')
    const [entry] = said(t.heard(marked))
    expect(entry).toMatchObject({ user: 'ada', password: '[redacted]' })
    expect(JSON.stringify(t.frames)).not.toContain('hunter2')
  })

  it('LOGG-009 may be any JSON under one of eight levels', async () => {
    const values: Json[] = [null, false, 0, 'text', [1], { a: { b: null } }]
    const write = (log: Log) => {
      for (const value of values) log('info', value, 'tests')
      log('loud' as 'info', 'never')
      log('info', undefined as never)
    }
    const t = await judged(writing(write), { revision, logLevel: 'debug' })
    await t.call('work')
    expect(said(t.heard(marked))).toEqual([...values, null])
    expect(t.heard(marked)).toSatisfy((all: { params: object }[]) =>
      all.every(({ params }) => 'level' in params && (params as { level: string }).level === 'info'),
    )
  })

  describe('in a flood', () => {
    beforeEach(() => void vi.useFakeTimers())
    afterEach(() => void vi.useRealTimers())

    it('LOGG-008 are throttled, with the number of dropped messages', async () => {
      const chatty = server({ name: 'shop', version: '1', logging: true, tools: { work: tool({ run: flood }) } })
      const t = await judged(chatty, { revision, logLevel: 'debug' })
      const work = t.call('work')
      await vi.advanceTimersByTimeAsync(2_000)
      await work
      const entries = t.heard(marked)
      expect(entries.length).toBeLessThanOrEqual(61)
      expect(entries.at(-1)).toMatchObject({ params: { data: 'the end', _meta: { 'dev.toolwire/dropped': 950 } } })
    })
  })
})

/** Reads the logger from the context each time, as most handlers do. */
async function flood(_: unknown, ctx: Context): Promise<string> {
  for (let line = 0; line < 1_000; line++) ctx.log.info(line)
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  ctx.log.info('the end')
  return 'done'
}

async function capabilities(t: Awaited<ReturnType<typeof judged>>): Promise<unknown> {
  if (t.revision >= '2026') return (await t.request('server/discover')).capabilities
  const opened = t.frames.find(({ from, message }) => from === 'server' && 'result' in message)
  return (opened?.message.result as { capabilities: unknown }).capabilities
}

describe.each(until('2025-11-25'))('logging/setLevel at %s', (revision) => {
  it('LOGG-002 answers {} and applies to later calls', async () => {
    const t = await judged(writing(everyLevel), { revision })
    expect(await t.request('logging/setLevel', { level: 'alert' })).toEqual({})
    await t.call('work')
    expect(said(t.heard(marked))).toEqual(['alert', 'emergency'])
    await t.request('logging/setLevel', { level: 'emergency' })
    await t.call('work')
    expect(said(t.heard(marked))).toEqual(['alert', 'emergency', 'emergency'])
  })

  it.each([['loud'], ['INFO'], [7], [null], [undefined]])('LOGG-003 refuses the level %j', async (level) => {
    const t = await judged(writing(everyLevel), { revision, lenient: true })
    await expect(t.request('logging/setLevel', { level: level as string })).rejects.toMatchObject({ code: -32602 })
  })
})

it.each([['loud'], ['INFO'], [7], [null]])('LOGG-003 at 2026-07-28 a request with the level %j is refused', async (level) => {
  const t = await judged(writing(everyLevel), { revision: '2026-07-28', lenient: true })
  await expect(t.call('work', {}, { meta: { 'io.modelcontextprotocol/logLevel': level } })).rejects.toMatchObject({
    code: -32602,
  })
})

it('LOGG-004 at 2026-07-28 a request without a level receives no logs', async () => {
  const t = await judged(writing(everyLevel), { revision: '2026-07-28' })
  await t.call('work')
  expect(t.heard(marked)).toEqual([])
})

it('LOGG-005 at 2026-07-28 only the request with a level receives its own logs, before its response', async () => {
  let late: Log | undefined
  const app = writing(async (log) => {
    late = log
    log.info('before')
    await new Promise((resolve) => setTimeout(resolve, 5))
    log.info('after')
  })
  const curious = call(app, 'work', { _meta: { 'io.modelcontextprotocol/logLevel': 'info' } })
  const other = call(app, 'work')
  await Promise.all([curious.answer, other.answer])
  late?.info('too late')
  expect(curious.stream.map((message) => message.method ?? 'answer')).toEqual([marked, marked, 'answer'])
  expect(other.stream.map((message) => message.method ?? 'answer')).toEqual(['answer'])
})

it('LOGG-006 at 2026-07-28 logging/setLevel is an unknown method', async () => {
  const t = await judged(writing(everyLevel), { revision: '2026-07-28', lenient: true })
  await expect(t.request('logging/setLevel', { level: 'info' })).rejects.toMatchObject({ code: -32601 })
})
