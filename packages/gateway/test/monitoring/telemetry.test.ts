import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { soaking } from '../../../toolwire/test/soak.js'
import { clean, folder, program, until } from '../support/run-program.js'
import { client, words } from '../support/running-gateway.js'

type Attribute = { key: string; value: { stringValue?: string } }
type Span = {
  name: string
  kind: number
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: Attribute[]
  status: { code?: number; message?: string }
}
type Traces = { resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Span[] }[] }[] }
type Measured = { resourceMetrics: { scopeMetrics: { metrics: { name: string }[] }[] }[] }

const kinds = { server: 2, client: 3 } as const
const swordfish = 'swordfish'

/** A fake collector that records the exports. */
async function collector() {
  const bodies: string[] = []
  const traces: Traces[] = []
  const measured: Measured[] = []
  const server = createServer((req, res) => {
    let text = ''
    req.setEncoding('utf8').on('data', (piece) => {
      text += piece
    })
    req.on('end', () => {
      bodies.push(text)
      if (req.url === '/v1/traces') traces.push(JSON.parse(text))
      if (req.url === '/v1/metrics') measured.push(JSON.parse(text))
      res.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo // a TCP server has one
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    resources: () => traces.flatMap(({ resourceSpans }) => resourceSpans.map(({ resource }) => resource)),
    spans: () =>
      traces.flatMap(({ resourceSpans }) => resourceSpans.flatMap((one) => one.scopeSpans.flatMap(({ spans }) => spans))),
    metrics: () =>
      measured.flatMap(({ resourceMetrics }) =>
        resourceMetrics.flatMap((one) => one.scopeMetrics.flatMap(({ metrics }) => metrics.map(({ name }) => name))),
      ),
  }
}

const place = fileURLToPath(new URL('../programs/place-server.mjs', import.meta.url))
const config = JSON.stringify({
  mcpServers: { far: { command: process.execPath, args: [place], trusted: true } },
  toolwire: { guard: { approvals: false, rate: false }, console: false },
})

/** Makes the package appear missing. */
const withoutSdk = `data:text/javascript,${encodeURIComponent(`
  import { register } from 'node:module'
  register('data:text/javascript,' + encodeURIComponent(\`
    export const resolve = (name, context, next) => {
      if (name.startsWith('@opentelemetry/sdk')) throw new Error('Cannot find package ' + name)
      return next(name, context)
    }\`))`)}`

async function up(env: NodeJS.ProcessEnv, flags: readonly string[] = []) {
  const { path, [Symbol.dispose]: remove } = folder({ 'mcp.json': config })
  const child = spawn(process.execPath, [...flags, program, 'up', 'mcp.json', '--json', '--port', '0', '--data-dir', 'data'], {
    cwd: path,
    env: { ...clean(path), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (piece) => {
    stderr += piece
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
    remove()
  })
  const line = await Promise.race([once(createInterface(child.stdout), 'line').then(([first]) => String(first)), ended])
  const url = typeof line === 'string' ? String(JSON.parse(line).url) : undefined
  const stop = () => {
    child.kill('SIGTERM')
    return ended
  }
  return { url: url ?? '', ended, stop, stderr: () => stderr }
}

const exported = (url: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_BSP_SCHEDULE_DELAY: '50',
})

const attributeOf = ({ attributes }: { attributes: Attribute[] }, name: string) =>
  attributes.find(({ key }) => key === name)?.value.stringValue

describe('With OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  it('each call is a span of the server and one of the client, in the trace of the caller', async () => {
    const { url, spans, resources } = await collector()
    const gateway = await up(exported(url))
    const caller = await client(gateway.url)
    const [traceId, outside] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']
    const result = await caller.call('far__place', {}, { meta: { traceparent: `00-${traceId}-${outside}-01` } })
    await until(() => spans().length >= 2 || undefined)
    const incoming = spans().find(({ kind }) => kind === kinds.server)
    const outgoing = spans().find(({ kind }) => kind === kinds.client)
    expect(incoming).toMatchObject({ name: 'tools/call far__place', traceId, parentSpanId: outside })
    expect(outgoing).toMatchObject({ name: 'tools/call place', traceId, parentSpanId: incoming?.spanId })
    for (const span of spans()) {
      expect(attributeOf(span, 'mcp.method.name')).toBe('tools/call')
      expect(attributeOf(span, 'gen_ai.operation.name')).toBe('execute_tool')
    }
    expect(
      spans()
        .map((span) => attributeOf(span, 'gen_ai.tool.name'))
        .sort(),
    ).toEqual(['far__place', 'place'])
    expect(outgoing && attributeOf(outgoing, 'toolwire.server.name')).toBe('far')
    // The upstream receives the trace context.
    expect(JSON.parse(words(result)).traceparent).toBe(`00-${traceId}-${outgoing?.spanId}-01`)
    expect(resources().map((resource) => attributeOf(resource, 'service.name'))).toContain('toolwire')
    expect(resources().map((resource) => attributeOf(resource, 'process.command'))).not.toContain(expect.anything())
  })

  it('calls are measured, and remaining metrics are sent at the shutdown', async () => {
    const { url, metrics } = await collector()
    const gateway = await up(exported(url))
    const caller = await client(gateway.url)
    await caller.call('far__place')
    expect(metrics()).toEqual([])
    expect(await gateway.stop()).toBe(0)
    expect(new Set(metrics())).toEqual(new Set(['mcp.server.operation.duration', 'mcp.client.operation.duration']))
  })

  it('no arguments, results or error messages are exported', async () => {
    const { url, spans, bodies } = await collector()
    const gateway = await up(exported(url))
    const caller = await client(gateway.url)
    expect(words(await caller.call('far__place', { word: swordfish }))).toContain(swordfish)
    await caller.call('far__fail').catch(() => undefined)
    await until(() => spans().length >= 4 || undefined)
    await gateway.stop()
    expect(spans().filter(({ status }) => status.code === 2).length).toBeGreaterThan(0)
    expect(bodies.filter((body) => body.includes(swordfish))).toEqual([])
  })

  it('the gateway reports a missing package, and does not start', async () => {
    const gateway = await up(exported('http://127.0.0.1:9'), ['--import', withoutSdk])
    expect(gateway.url).toBe('')
    expect(await gateway.ended).not.toBe(0)
    expect(gateway.stderr()).toContain(
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, but the package @opentelemetry/sdk-node is not installed',
    )
    expect(gateway.stderr()).toContain('npm i -g @opentelemetry/sdk-node')
  })

  if (soaking)
    it('the gateway runs without a collector, and shuts down', async () => {
      const gateway = await up(exported('http://127.0.0.1:9'))
      const caller = await client(gateway.url)
      expect(words(await caller.call('far__place'))).toContain('traceparent')
      expect(await gateway.stop()).toBe(0)
    })
})

describe('Without an endpoint for telemetry', () => {
  it.each([{}, { ...exported('http://127.0.0.1:9'), OTEL_SDK_DISABLED: 'true' }])('no package is needed: %o', async (env) => {
    const gateway = await up(env, ['--import', withoutSdk])
    const caller = await client(gateway.url)
    expect(JSON.parse(words(await caller.call('far__place')))).toEqual({})
  })
})
