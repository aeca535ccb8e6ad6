// Spans and metrics of calls that a server handles.
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { connect } from '../../../src/client/index.js'
import type { Policy } from '../../../src/guard.js'
import { Refusal, RpcError, server, ToolError, tool } from '../../../src/index.js'
import { listen } from '../../../src/node.js'
import { observe } from '../../../src/observe.js'
import type { ObserveOptions } from '../../../src/policy/observe/index.js'
import { relay } from '../../../src/relay/index.js'
import { harness } from '../../../src/testing/index.js'
import { faults } from '../../reported-faults.js'
import { every, since, until } from '../../revisions.js'
import { isValid, mangled, spanId, traceId, good as traceparent } from './parents.js'
import { idsOf, registerTelemetry, sdk } from './telemetry.js'

const plain = {
  'mcp.method.name': 'tools/call',
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.name': 'look',
}

const input = z.object({ secret: z.string() })
const tools = {
  look: tool({
    input: z.object({ secret: z.string().optional() }),
    run: async ({ secret = '' }, ctx) => {
      await Promise.resolve()
      trace.getTracer('handler').startSpan('reading').end()
      return `seen ${secret} ${JSON.stringify(ctx.meta)}`
    },
  }),
  refusing: tool({ run: () => Promise.reject(new ToolError('hunter2 is wrong')) }),
  broken: tool({ run: () => Promise.reject(new TypeError('hunter2 broke')) }),
  coded: tool({ run: () => Promise.reject(new RpcError(-1234, 'hunter2 is no account')) }),
  strict: tool({ input, run: () => 'fine' }),
  rare: tool({ limit: { calls: 1, per: 'day' }, run: () => 'once' }),
  hidden: tool({ scopes: ['admin'], run: () => 'not for you' }),
  waits: tool({
    run: (_, { signal }) => new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  }),
  slow: tool({ timeout: 20, run: (_, { signal }) => new Promise<string>((_, no) => signal.addEventListener('abort', no)) }),
  deploy: tool({
    run: async (_, ctx) => `${(await ctx.ask('sure', 'Really?', z.object({ yes: z.boolean() }))).yes}`,
  }),
}

const app = (options?: ObserveOptions, policies: Policy[] = []) =>
  server({ name: 'shop', version: '1.0.0', tools, policies: [observe(options), ...policies] })

let telemetry: ReturnType<typeof registerTelemetry>
const closers: (() => Promise<unknown>)[] = []
beforeEach(() => {
  telemetry = registerTelemetry()
})
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const spanNamed = (name: string) => telemetry.spans().find((span) => span.name === name)

describe.each(every)('over HTTP, in %s', (revision) => {
  it('creates a span for a call, below the span of the client and above those of the handler', async () => {
    const { url, close } = await listen(app(), { port: 0, signals: false, legacySse: true })
    closers.push(close)
    const client = await connect(revision === every[0] ? { type: 'sse', url: new URL('/sse', url).href } : url, { revision })
    closers.push(() => client.close())
    const meta = { traceparent, tracestate: 'rojo=1' }
    expect(await client.call('look', { secret: 'hunter2' }, { meta })).toMatchObject({ isError: false })

    expect(telemetry.spans().map(({ name }) => name)).toEqual(['reading', 'tools/call look'])
    const span = spanNamed('tools/call look')
    expect(span).toMatchObject({ kind: SpanKind.SERVER, status: { code: SpanStatusCode.UNSET }, events: [], attributes: plain })
    expect(idsOf(span)).toMatchObject({ traceId, parent: spanId })
    expect(span?.parentSpanContext?.isRemote).toBe(true)
    expect(span?.spanContext().traceState?.serialize()).toBe('rojo=1')
    expect(idsOf(spanNamed('reading'))).toMatchObject({ traceId, parent: idsOf(span).spanId })
  })
})

describe.each(every)('%s', (revision) => {
  it('distinguishes failures, and marks each as an error', async () => {
    await using client = await harness(app(), { revision, caller: { scopes: [] } })
    for (const name of ['refusing', 'broken', 'coded', 'rare', 'rare', 'strict', 'hidden'])
      await client.call(name, name === 'strict' ? { hunter2: 1 } : {}).catch(() => undefined)
    const ends = telemetry.spans().map(({ name, attributes, status }) => [name.slice(11), attributes['error.type'], status])
    const failed = { code: SpanStatusCode.ERROR }
    expect(ends).toEqual([
      ['refusing', 'tool_error', failed],
      ['broken', 'tool_error', failed],
      ['coded', '-1234', failed],
      ['rare', undefined, { code: SpanStatusCode.UNSET }],
      ['rare', 'rate-limited', failed],
      ['strict', 'invalid-arguments', failed],
      ['hidden', 'unknown-tool', failed],
    ])
    expect(spanNamed('tools/call coded')?.attributes['rpc.response.status_code']).toBe('-1234')
    expect(faults.map(({ where }) => where)).toContain('tool broken')
  })

  it('records no content', async () => {
    await using client = await harness(app(), { revision })
    for (const name of ['look', 'refusing', 'broken', 'coded', 'strict'])
      await client.call(name, { secret: 'hunter2', hunter2: 'hunter2' }, { meta: { 'x/y': 'hunter2' } }).catch(() => undefined)
    expect(telemetry.spans().length).toBeGreaterThanOrEqual(5)
    const kept = telemetry
      .spans()
      .map(({ name, attributes, status, events, links }) => ({ name, attributes, status, events, links }))
    const points = await telemetry.durations('mcp.server.operation.duration')
    expect(JSON.stringify([kept, points, await telemetry.counts('toolwire.server.refusals')])).not.toContain('hunter2')
  })

  it('ends the span of a cancelled call', async () => {
    await using client = await harness(app(), { revision })
    const stop = new AbortController()
    const call = client.call('waits', {}, { signal: stop.signal }).catch(() => 'cancelled')
    await expect.poll(() => client.frames.some(({ message }) => message.method === 'tools/call')).toBe(true)
    stop.abort()
    expect(await call).toBe('cancelled')
    await expect.poll(() => spanNamed('tools/call waits')?.attributes['error.type']).toBe('cancelled')
  })

  it('ends the span of a timed-out call', async () => {
    await using client = await harness(app(), { revision })
    await client.call('slow').catch(() => undefined)
    expect(spanNamed('tools/call slow')?.attributes['error.type']).toBe('timed-out')
  })

  it('META-011 ignores an invalid parent', async () => {
    await using client = await harness(app(), { revision })
    const bad = [
      '',
      'x',
      traceparent.toUpperCase(),
      `${traceparent}0`,
      `00-${'0'.repeat(32)}-${spanId}-01`,
      7,
      null,
      [traceparent],
    ]
    for (const one of bad) {
      const { isError } = await client.call('look', {}, { meta: { traceparent: one, tracestate: 'a=1', baggage: ';;' } })
      expect(isError ?? false, String(one)).toBe(false)
    }
    const spans = telemetry.spans().filter(({ name }) => name === 'tools/call look')
    expect(spans.map((span) => idsOf(span).parent)).toEqual(bad.map(() => undefined))
    expect(new Set(spans.map((span) => idsOf(span).traceId)).size).toBe(bad.length)
  })
})

it('META-011 a server ignores 200 mangled parents', async () => {
  const values = fc.sample(mangled, 200)
  expect(values.filter(isValid).length).toBeLessThan(100)
  await using client = await harness(app())
  for (const value of values) expect((await client.call('refusing', {}, { meta: { traceparent: value } })).isError).toBe(true)
  const parents = telemetry.spans().map((span) => idsOf(span).parent !== undefined)
  expect(parents).toEqual(values.map(isValid))
})

describe.each(since('2026-07-28'))('%s', (revision) => {
  it('does not mark a question as an error, and creates a new span for its answer', async () => {
    await using client = await harness(app(), { revision, answers: { sure: { yes: true } } })
    expect((await client.call('deploy')).content).toEqual([{ type: 'text', text: 'true' }])
    expect(telemetry.spans().map(({ status, events }) => [status.code, events.map(({ name }) => name)])).toEqual([
      [SpanStatusCode.UNSET, ['input_required']],
      [SpanStatusCode.UNSET, []],
    ])
    expect(telemetry.spans().map(({ attributes }) => attributes['error.type'])).toEqual([undefined, undefined])
    const [point, ...others] = await telemetry.durations('mcp.server.operation.duration')
    expect([point?.value.count, point?.attributes, others]).toEqual([2, { ...plain, 'gen_ai.tool.name': 'deploy' }, []])
  })
})

describe.each(until('2025-11-25').filter((version) => version >= '2025-06-18'))('%s', (revision) => {
  it('has one span for a call that waits for its answer', async () => {
    await using client = await harness(app(), { revision, answers: { sure: { yes: true } } })
    expect((await client.call('deploy')).content).toEqual([{ type: 'text', text: 'true' }])
    expect(telemetry.spans().map(({ name, status }) => [name, status.code])).toEqual([
      ['tools/call deploy', SpanStatusCode.UNSET],
    ])
  })
})

describe('the active span at the arrival of a call', () => {
  const arriving = async (meta: Record<string, string>, from = context.active()) => {
    const outer = trace.getTracer('http').startSpan('POST /mcp', {}, from)
    await using client = await harness(app())
    await context.with(trace.setSpan(context.active(), outer), () => client.call('look', {}, { meta }))
    return { outer: outer.spanContext(), span: spanNamed('tools/call look') }
  }

  it('is linked if the client names a parent', async () => {
    const { outer, span } = await arriving({ traceparent })
    expect(idsOf(span)).toMatchObject({ traceId, parent: spanId })
    expect(span?.links.map(({ context: { spanId } }) => spanId)).toEqual([outer.spanId])
  })

  it('is linked even in the same trace', async () => {
    const from = { traceId, spanId: 'aaaaaaaaaaaaaaaa', traceFlags: 1 }
    const { outer, span } = await arriving({ traceparent }, trace.setSpanContext(context.active(), from))
    expect([outer.traceId, idsOf(span).parent]).toEqual([traceId, spanId])
    expect(span?.links.map(({ context: { spanId } }) => spanId)).toEqual([outer.spanId])
  })

  it('is the parent if the client names none', async () => {
    const { outer, span } = await arriving({})
    expect(idsOf(span)).toMatchObject({ traceId: outer.traceId, parent: outer.spanId })
    expect(span?.links).toEqual([])
  })
})

describe('baggage', () => {
  const tenants: (string | undefined)[] = []
  const listening = (options?: ObserveOptions) =>
    server({
      name: 'shop',
      version: '1.0.0',
      tools: {
        look: tool({
          run: () => `${tenants.push(propagation.getActiveBaggage()?.getEntry('tenant')?.value)}`,
        }),
      },
      policies: [observe(options)],
    })

  it('of a call is available in the handler, unless disabled', async () => {
    for (const options of [{}, { baggage: false }]) {
      await using client = await harness(listening(options))
      await client.call('look', {}, { meta: { baggage: 'tenant=acme%20inc' } })
    }
    expect(tenants).toEqual(['acme inc', undefined])
  })
})

describe('recorded content', () => {
  const everything = { content: true, redact: ({ value }) => value } satisfies ObserveOptions

  it('is filtered by the function', async () => {
    const redact: ObserveOptions['redact'] = (said) => {
      if (said.what === 'arguments') return { ...said.value, secret: '***' }
      return said.what === 'result' ? said.value.content.length : said.value.replace('hunter2', '***')
    }
    await using client = await harness(app({ content: true, redact }))
    await client.call('look', { secret: 'hunter2' })
    await client.call('coded').catch(() => undefined)
    expect(spanNamed('tools/call look')?.attributes).toEqual({
      ...plain,
      'gen_ai.tool.call.arguments': '{"secret":"***"}',
      'gen_ai.tool.call.result': '1',
    })
    expect(spanNamed('tools/call coded')?.status).toEqual({ code: SpanStatusCode.ERROR, message: '*** is no account' })
  })

  it('has a maximum length', async () => {
    await using client = await harness(app(everything))
    await client.call('look', { secret: 'x'.repeat(100_000) })
    expect(String(spanNamed('tools/call look')?.attributes['gen_ai.tool.call.arguments'])).toHaveLength(8_192)
  })

  it('is omitted if the function throws, and the call continues', async () => {
    const redact = () => {
      throw new Error('no idea')
    }
    await using client = await harness(app({ content: true, redact }))
    expect((await client.call('look')).isError ?? false).toBe(false)
    expect(spanNamed('tools/call look')?.attributes).toEqual(plain)
  })

  it('needs both the option and the function', async () => {
    await using client = await harness(app({ ...everything, content: false } as unknown as ObserveOptions)) // TypeScript prevents this
    await client.call('look', { secret: 'hunter2' })
    expect(spanNamed('tools/call look')?.attributes).toEqual(plain)
    expect(() => observe({ content: true } as unknown as ObserveOptions)).toThrow(/needs `redact`/)
  })
})

describe('metrics', () => {
  it('are durations in seconds, by tool and by error type', async () => {
    await using client = await harness(app())
    await client.call('look')
    await client.call('look')
    await client.call('refusing')
    const metric = await telemetry.metric('mcp.server.operation.duration')
    expect(metric?.descriptor.unit).toBe('s')
    const points = await telemetry.durations('mcp.server.operation.duration')
    expect(points.map(({ attributes, value }) => [attributes, value.count])).toEqual([
      [plain, 2],
      [{ ...plain, 'gen_ai.tool.name': 'refusing', 'error.type': 'tool_error' }, 1],
    ])
    expect(points[0]?.value.buckets.boundaries).toEqual([0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300])
    await client.call('slow')
    const slow = (await telemetry.durations('mcp.server.operation.duration')).find(
      ({ attributes }) => attributes['gen_ai.tool.name'] === 'slow',
    )
    expect(slow?.value.sum).toBeGreaterThan(0.01)
    expect(slow?.value.sum).toBeLessThan(5)
    expect(await telemetry.metric('mcp.client.operation.duration')).toBeUndefined()
  })

  it('count refusals by reason and tool', async () => {
    const sunday: Policy = {
      name: 'sunday',
      applies: ({ name }) => name === 'look',
      call: () => Promise.reject(new Refusal('not-approved', 'It is Sunday')),
    }
    await using client = await harness(app({}, [sunday]))
    for (const name of ['rare', 'rare', 'rare', 'look', 'refusing']) await client.call(name)
    const points = await telemetry.counts('toolwire.server.refusals')
    expect(points.map(({ attributes, value }) => [attributes['gen_ai.tool.name'], attributes['error.type'], value])).toEqual([
      ['rare', 'rate-limited', 2],
      ['look', 'not-approved', 1],
    ])
  })
})

describe('telemetry providers', () => {
  it('may be passed in, and then the global ones receive nothing', async () => {
    const own = sdk()
    const { tracerProvider, meterProvider } = own
    await using client = await harness(app({ tracerProvider, meterProvider }))
    await client.call('look')
    expect(own.spans().map(({ name }) => name)).toEqual(['tools/call look'])
    expect(await own.durations('mcp.server.operation.duration')).toHaveLength(1)
    expect(telemetry.spans().map(({ name }) => name)).toEqual(['reading'])
    expect(await telemetry.metric('mcp.server.operation.duration')).toBeUndefined()
  })

  it('may be registered after the policy was created, or never', async () => {
    for (const api of [context, trace]) api.disable()
    const { metrics } = await import('@opentelemetry/api')
    metrics.disable()
    await using client = await harness(app())
    expect((await client.call('look', {}, { meta: { traceparent } })).isError ?? false).toBe(false)
    telemetry = registerTelemetry()
    await client.call('look')
    expect(telemetry.spans().map(({ name }) => name)).toEqual(['reading', 'tools/call look'])
    expect((await telemetry.durations('mcp.server.operation.duration'))[0]?.value.count).toBe(1)
  })
})

describe('a relayed tool', () => {
  it('has a server span here, which does not reveal its origin', async () => {
    const far = relay(
      { name: 'far__look', inputSchema: { type: 'object' } },
      { server: 'far', run: async () => ({ content: [], isError: false }) },
    )
    const gateway = server({ name: 'gateway', version: '1.0.0', tools: { far__look: far }, policies: [observe()] })
    await using client = await harness(gateway)
    await client.call('far__look')
    expect(spanNamed('tools/call far__look')).toMatchObject({
      kind: SpanKind.SERVER,
      attributes: { ...plain, 'gen_ai.tool.name': 'far__look' },
    })
  })
})
