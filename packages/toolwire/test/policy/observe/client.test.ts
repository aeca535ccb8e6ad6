// Spans, metrics and trace context of calls to other servers.
import { context, propagation, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { AlwaysOffSampler, BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, type ConnectOptions, connect } from '../../../src/client/index.js'
import type { Policy } from '../../../src/guard.js'
import { Refusal, server, tool } from '../../../src/index.js'
import type { JsonObject } from '../../../src/json.js'
import { listen } from '../../../src/node.js'
import { observe } from '../../../src/observe.js'
import type { ObserveOptions } from '../../../src/policy/observe/index.js'
import { traceForms } from '../../../src/tools/checks/trace-forms.js'
import type { ToolCall } from '../../../src/tools/tool.js'
import { askingScript, modern } from '../../client/questions.js'
import { connectScripted, Fails, plainTool, type Reply, silence, textResult, toolsPage } from '../../client/scripted.js'
import { every, since } from '../../revisions.js'
import '../../reported-faults.js'
import { callOf, done } from '../call.js'
import { spanId, traceId, good as traceparent } from './parents.js'
import { idsOf, registerTelemetry, sdk } from './telemetry.js'

const traceparentForm = traceForms.get('traceparent') ?? /never/

let telemetry: ReturnType<typeof registerTelemetry>
beforeEach(() => {
  telemetry = registerTelemetry()
})

const spansOf = (kind: SpanKind) => telemetry.spans().filter((span) => span.kind === kind)
const clientSpan = () => spansOf(SpanKind.CLIENT)[0]

type Around = { answer?: Reply; names?: string[]; revision?: string; observed?: ObserveOptions; policies?: Policy[] }

/** An observed client, and a server with the given answer. */
async function observed({
  answer = textResult('done'),
  names = ['work'],
  revision = modern,
  observed = {},
  policies = [],
}: Around = {}) {
  const script = { 'tools/list': toolsPage(names.map((name) => plainTool(name))), 'tools/call': () => answer }
  const options: ConnectOptions = { policies: [observe(observed), ...policies], trusted: true }
  const { client, server: scriptedServer } = await connectScripted(script, { revision, options })
  const sent = () => scriptedServer.received('tools/call').map((message) => (message.params as { _meta: JsonObject })._meta)
  return { client, scriptedServer, sent }
}

const within = <T>(name: string, run: () => T): T => {
  const span = trace.getTracer('test').startSpan(name)
  try {
    return context.with(trace.setSpan(context.active(), span), run)
  } finally {
    span.end()
  }
}

describe.each(every)('%s', (revision) => {
  it('META-011 sends the trace context of the call', async () => {
    const { client, sent } = await observed({ revision })
    await client.call('work', {}, { meta: { 'com.example/x': 1 } })
    const { traceparent: written, ...rest } = sent()[0] ?? {}
    expect(written).toMatch(traceparentForm)
    expect(written).toBe(`00-${idsOf(clientSpan()).traceId}-${idsOf(clientSpan()).spanId}-01`)
    expect(rest).toMatchObject({ 'com.example/x': 1 })
    expect(rest).not.toHaveProperty('tracestate')
    expect(rest).not.toHaveProperty('baggage')
  })
})

describe.each(since('2025-03-26'))('over HTTP, in %s', (revision) => {
  it('joins client, server and handler in one trace', async () => {
    const look = tool({ run: async () => within('reading', () => 'seen') })
    const app = server({ name: 'shop', version: '1.0.0', tools: { look }, policies: [observe()] })
    const { url, close } = await listen(app, { port: 0, signals: false })
    try {
      await using client = await connect(url, { revision, policies: [observe()] })
      await within('asking', () => client.call('look'))
    } finally {
      await close()
    }
    const of = (name: string, kind: SpanKind) => telemetry.spans().find((span) => span.name === name && span.kind === kind)
    const asked = of('tools/call look', SpanKind.CLIENT)
    const answered = of('tools/call look', SpanKind.SERVER)
    expect(new Set(telemetry.spans().map((span) => idsOf(span).traceId)).size).toBe(1)
    expect(idsOf(asked).parent).toBe(idsOf(of('asking', SpanKind.INTERNAL)).spanId)
    expect(idsOf(answered).parent).toBe(idsOf(asked).spanId)
    expect(idsOf(of('reading', SpanKind.INTERNAL)).parent).toBe(idsOf(answered).spanId)
    expect(asked?.attributes).toEqual({
      'mcp.method.name': 'tools/call',
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'look',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(url).port),
    })
  })
})

describe.each(since('2025-11-25'))('%s', (revision) => {
  it('covers the whole task, on both sides', async () => {
    const bake = tool({ longRunning: 'required', run: async () => within('baking', () => 'bread') })
    const app = server({ name: 'bakery', version: '1.0.0', tools: { bake }, policies: [observe()] })
    await using client = await connect(app, { revision, policies: [observe()] })
    expect((await client.call('bake')).content).toEqual([{ type: 'text', text: 'bread' }])
    const [baking, answered, asked, ...others] = telemetry.spans()
    expect([baking?.name, answered?.kind, asked?.kind, others]).toEqual(['baking', SpanKind.SERVER, SpanKind.CLIENT, []])
    expect(idsOf(answered)).toMatchObject({ traceId: idsOf(asked).traceId, parent: idsOf(asked).spanId })
    expect(idsOf(baking).parent).toBe(idsOf(answered).spanId)
  })
})

describe('a gateway', () => {
  const spansIn = (name: string) => telemetry.spans().filter((span) => span.name === name)

  /** A server whose only tool calls another server, whose only tool is `deep`. */
  async function gateway(run: (upstream: Client, meta: JsonObject) => Promise<unknown>) {
    const receivedMeta: JsonObject[] = []
    const deep = tool({ run: (_, { meta }) => `${receivedMeta.push(meta)}` })
    const far = server({ name: 'far', version: '1.0.0', tools: { deep }, policies: [observe()] })
    const upstream = await connect(far, { name: 'far', policies: [observe()] })
    const relay = tool({ run: async (_, { meta }) => `${await run(upstream, meta)}` })
    const near = server({ name: 'near', version: '1.0.0', tools: { relay }, policies: [observe()] })
    return { near, receivedMeta, [Symbol.asyncDispose]: () => upstream.close() }
  }

  it('META-012 continues the trace of its caller', async () => {
    await using made = await gateway((upstream) => upstream.call('deep'))
    await using client = await connect(made.near)
    await client.call('relay', {}, { meta: { traceparent, tracestate: 'rojo=1', baggage: 'tenant=acme' } })
    expect(made.receivedMeta[0]).toMatchObject({ tracestate: 'rojo=1', baggage: 'tenant=acme' })
    expect(made.receivedMeta[0]?.traceparent).toMatch(new RegExp(`^00-${traceId}-(?!${spanId})`))
    const [relay] = spansIn('tools/call relay')
    const [outgoing] = spansIn('tools/call deep').filter(({ kind }) => kind === SpanKind.CLIENT)
    expect(idsOf(outgoing)).toMatchObject({ traceId, parent: idsOf(relay).spanId })
  })

  it('META-012 continues the trace even if the handler forwards the received metadata', async () => {
    await using made = await gateway((upstream, meta) =>
      upstream.call('deep', {}, { meta: { traceparent: meta.traceparent, tracestate: meta.tracestate } }),
    )
    await using client = await connect(made.near)
    await client.call('relay', {}, { meta: { traceparent, tracestate: 'rojo=1' } })
    expect(made.receivedMeta[0]?.tracestate).toBe('rojo=1')
    const [outgoing] = spansIn('tools/call deep').filter(({ kind }) => kind === SpanKind.CLIENT)
    expect(idsOf(outgoing)).toMatchObject({ traceId, parent: idsOf(spansIn('tools/call relay')[0]).spanId })
  })

  it('META-012 forwards the trace unchanged if no telemetry is registered', async () => {
    for (const api of [context, trace]) api.disable()
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
    await using made = await gateway((upstream) => upstream.call('deep'))
    await using client = await connect(made.near)
    const meta = { traceparent, tracestate: 'rojo=1', baggage: 'tenant=acme' }
    await client.call('relay', {}, { meta })
    expect(made.receivedMeta[0]).toMatchObject(meta)
  })
})

describe('the outgoing trace context', () => {
  it('is the one that the caller names, rather than the active one', async () => {
    const { client, sent } = await observed()
    await within('elsewhere', () => client.call('work', {}, { meta: { traceparent, tracestate: 'rojo=1' } }))
    expect(idsOf(clientSpan())).toMatchObject({ traceId, parent: spanId })
    expect(clientSpan()?.links).toHaveLength(1)
    expect(sent()[0]).toMatchObject({ traceparent: `00-${traceId}-${idsOf(clientSpan()).spanId}-01`, tracestate: 'rojo=1' })
  })

  it('has no tracestate from another parent', async () => {
    const { client, sent } = await observed()
    await within('here', async () => {
      const here = trace.getActiveSpan()?.spanContext()
      const meta = { traceparent: `00-${here?.traceId}-${spanId}-01`, tracestate: 'rojo=1' }
      await client.call('work', {}, { meta })
      expect(idsOf(clientSpan())).toMatchObject({ traceId: here?.traceId, parent: here?.spanId })
    })
    expect(sent()[0]).not.toHaveProperty('tracestate')
  })

  it('contains the active baggage, unless disabled', async () => {
    for (const [options, baggage] of [
      [{}, 'tenant=acme%20inc'],
      [{ baggage: false }, undefined],
    ] as const) {
      const { client, sent } = await observed({ observed: options })
      const bag = propagation.createBaggage({ tenant: { value: 'acme inc' }, 'no key': { value: 'x' } })
      await context.with(propagation.setBaggage(context.active(), bag), () => client.call('work'))
      expect(sent()[0]?.baggage).toBe(baggage)
    }
  })

  it('marks an unsampled trace as unsampled', async () => {
    const off = new BasicTracerProvider({ sampler: new AlwaysOffSampler() })
    const { client, sent } = await observed({ observed: { tracerProvider: off } })
    await client.call('work')
    expect(sent()[0]?.traceparent).toMatch(/-00$/)
  })

  it.each(every)('is absent without a trace: %s', async (revision) => {
    for (const api of [context, trace]) api.disable()
    const { client, sent } = await observed({ revision })
    await client.call('work')
    expect(Object.keys(sent()[0] ?? {}).filter((key) => traceForms.has(key))).toEqual([])
    expect(sent()[0] === undefined).toBe(revision !== modern)
  })

  it('may be replaced by a policy, and is validated', async () => {
    const adds = (meta: JsonObject): Policy => ({
      name: 'adds',
      call: (call, next) => {
        call.context.carry?.({ ...call.context.meta, ...meta })
        return next(call)
      },
    })
    const { client, sent } = await observed({ policies: [adds({ 'com.example/x': 1 })] })
    await client.call('work')
    expect(sent()[0]).toMatchObject({ 'com.example/x': 1, traceparent: expect.stringMatching(traceparentForm) })
    const wrong = await observed({ policies: [adds({ 'mcp.dev/x': 1 })] })
    await expect(wrong.client.call('work')).rejects.toThrow(/_meta/)
    expect(wrong.scriptedServer.received('tools/call')).toEqual([])
  })

  it('may be set on a copy of the context', async () => {
    const copies: Policy = {
      name: 'copies',
      call: (call, next) => {
        const copy = { ...call, context: { ...call.context } }
        copy.context.carry?.({ 'com.example/x': 2 })
        return next(copy)
      },
    }
    const { client, sent } = await observed({ policies: [copies] })
    await client.call('work')
    expect(sent()[0]).toMatchObject({ 'com.example/x': 2 })
  })
})

describe('the error type of a failed call', () => {
  const typeOf = async (around: Around) => {
    const { client } = await observed(around)
    await client.call('work').catch(() => undefined)
    return clientSpan()?.attributes['error.type']
  }
  const says: Policy = { name: 'says', call: () => Promise.reject(new Refusal('not-approved', 'hunter2')) }
  const throws = (thrown: unknown): Policy => ({ name: 'throws', call: () => Promise.reject(thrown) })
  const odd = (name: unknown) => Object.assign(new Error('hunter2'), { name })

  it.each<[string, Around, string]>([
    ['the tool says so', { answer: textResult('hunter2', { isError: true }) }, 'tool_error'],
    ['the server answers with an error', { answer: new Fails(-32_000, 'hunter2') }, '-32000'],
    ['the arguments were wrong', { answer: new Fails(-32_602, 'hunter2') }, 'InvalidArguments'],
    ['the answer cannot be read', { answer: { resultType: 'hunter2' } }, 'bad_response'],
    ['a policy refuses', { policies: [says] }, 'not-approved'],
    ['a policy breaks', { policies: [throws(new TypeError('hunter2'))] }, 'TypeError'],
    ['the thrown value is not an error', { policies: [throws('hunter2')] }, '_OTHER'],
    ['the name of an error is empty', { policies: [throws(odd(''))] }, '_OTHER'],
    ['the name of an error is not a string', { policies: [throws(odd(7))] }, '_OTHER'],
    ['an error has a legacy numeric code', { policies: [throws(new DOMException('hunter2', 'AbortError'))] }, 'AbortError'],
    ['the name of an error has hidden characters', { policies: [throws(odd('a\u202e\n'))] }, 'a\\u{202e}\\u{a}'],
  ])('is recorded if %s', async (_, around, type) => {
    expect(await typeOf(around)).toBe(type)
    expect(clientSpan()?.status).toEqual({ code: SpanStatusCode.ERROR })
    expect(JSON.stringify([clientSpan()?.attributes, clientSpan()?.events])).not.toContain('hunter2')
    const points = await telemetry.durations('mcp.client.operation.duration')
    expect(points.map(({ attributes, value }) => [attributes['error.type'], value.count])).toEqual([[type, 1]])
    const refusals = await telemetry.counts('toolwire.client.refusals')
    expect(refusals.map(({ value }) => value)).toEqual('policies' in around && type === 'not-approved' ? [1] : [])
  })

  it('is recorded if it is cancelled', async () => {
    const { client, scriptedServer } = await observed({ answer: silence })
    const stop = new AbortController()
    const call = client.call('work', {}, { signal: stop.signal }).catch(() => 'over')
    await expect.poll(() => scriptedServer.received('tools/call')).toHaveLength(1)
    stop.abort()
    expect(await call).toBe('over')
    expect(clientSpan()?.attributes['error.type']).toBe('cancelled')
  })
})

describe('names', () => {
  it('that are untrusted are shown with escaped characters and a maximum length', async () => {
    const long = await observed({ names: ['a'.repeat(128)] })
    await long.client.call('a'.repeat(128))
    expect(clientSpan()?.attributes['gen_ai.tool.name']).toBe('a'.repeat(128))
    // Our own clients refuse such names, but policies may receive them.
    for (const name of ['ev\u202eil\u001b[2J\n', '\u200b'.repeat(10_000)]) {
      const context = { meta: {} } as unknown as ToolCall['context']
      await observe().call?.({ ...callOf({ listed: { name } }), context }, async () => done)
    }
    const [, sly, invisible] = telemetry.spans()
    expect(sly?.name).toBe('tools/call ev\\u{202e}il\\u{1b}[2J\\u{a}')
    expect(invisible?.attributes['gen_ai.tool.name']).toMatch(/^[\\u{20b}]{200,256}$/)
    expect(invisible?.name.length).toBeLessThan(300)
  })

  it('of servers are recorded, but neither paths nor command lines', async () => {
    const app = server({ name: 'x', version: '1.0.0', tools: { look: tool({ run: () => 'seen' }) } })
    const known = [
      'mail',
      'https://a.example:8443/hunter2?t=hunter2',
      'HTTP://u:hunter2@[::1]/',
      'node run --token=hunter2',
      'https://',
    ]
    const seen = []
    for (const name of known) {
      await using client = await connect(app, { name, policies: [observe()] })
      await client.call('look')
      const {
        'mcp.method.name': _m,
        'gen_ai.operation.name': _o,
        'gen_ai.tool.name': _t,
        ...rest
      } = telemetry.spans().at(-1)?.attributes ?? {}
      seen.push(rest)
    }
    expect(seen).toEqual([
      { 'toolwire.server.name': 'mail' },
      { 'server.address': 'a.example', 'server.port': 8443 },
      { 'server.address': '[::1]', 'server.port': 80 },
      {},
      {},
    ])
  })
})

describe('a question', () => {
  it('is part of the call that caused it', async () => {
    const question = {
      method: 'elicitation/create',
      params: { message: 'Sure?', requestedSchema: z.toJSONSchema(z.object({ yes: z.boolean() })) as JsonObject },
    }
    const form = () => ({ action: 'accept' as const, content: { yes: true } })
    const options = { answers: { form }, policies: [observe()] }
    const { client, server: scriptedServer } = await connectScripted(
      askingScript(modern, question, () => undefined),
      { revision: modern, options },
    )
    await client.call('ask')
    expect(telemetry.spans().map(({ name, status }) => [name, status.code])).toEqual([['tools/call ask', SpanStatusCode.UNSET]])
    const parents = scriptedServer
      .received('tools/call')
      .map((message) => (message.params as { _meta: JsonObject })._meta.traceparent)
    expect(parents).toHaveLength(2)
    expect(new Set(parents).size).toBe(1)
  })
})

describe('recorded content', () => {
  it('of a call to another server is filtered by the function', async () => {
    const own = sdk()
    const redact: ObserveOptions['redact'] = ({ what }) => what
    const { tracerProvider, meterProvider } = own
    const { client } = await observed({ observed: { tracerProvider, meterProvider, content: true, redact } })
    await client.call('work', { secret: 'hunter2' })
    expect(own.spans()[0]?.attributes).toMatchObject({
      'gen_ai.tool.call.arguments': 'arguments',
      'gen_ai.tool.call.result': 'result',
    })
    expect(own.spans()[0]?.spanContext().traceFlags).toBe(TraceFlags.SAMPLED)
  })
})
