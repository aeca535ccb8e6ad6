// One JSON text on each path of a call to a tool and of a result to a client: every path accepts or refuses it as the parser does.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { jsonSchema, server, tool } from 'toolwire'
import { type Client, connect, memoryRevisions } from 'toolwire/client'
import { listen } from 'toolwire/node'
import { JsonError, parseJson, wire } from 'toolwire/relay'
import { expect, it, onTestFinished } from 'vitest'
import { defective, exact } from '../../../toolwire/test/json/defects.js'
import { corpus } from '../../../toolwire/test/json/verdicts.js'
import { eachNth, howMany } from '../../../toolwire/test/soak.js'
import { linesEndpoint } from '../../../toolwire/test/transports/lines-endpoint.js'
import { HttpPeer, linePeer, type Peer, twoEndpointPeer } from '../../../toolwire/test/transports/peers.js'
import { credentialsFor, http, started, upstreamConfig } from '../support/running-gateway.js'
import { open } from '../support/upstream-configs.js'

/** The received JSON of an object, or a mark that it was refused. */
type Outcome = string
type JsonPath = (object: Uint8Array) => Promise<Outcome>
const refused = 'refused'
const revision = '2025-11-25'

const utf8 = new TextEncoder()
const joined = (...pieces: (string | Uint8Array)[]): Uint8Array =>
  Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? utf8.encode(piece) : piece)))

function byTheReader(object: Uint8Array): Outcome {
  try {
    return JSON.stringify(parseJson(object))
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown
    return refused
  }
}

/** Paths to a tool: the object is the arguments of a call. */
async function pathsToTools(): Promise<Record<string, JsonPath>> {
  const received: string[] = []
  const app = server({
    name: 'hearing',
    version: '1.0.0',
    http: { hosts: ['tools.test'], legacySse: true },
    guard: { rateLimit: false },
    tools: {
      hear: tool({
        description: 'Notes what it is given',
        hints: { readOnly: true },
        input: jsonSchema({ type: 'object' }),
        run: (input) => {
          received.push(JSON.stringify(input))
          return 'heard'
        },
      }),
    },
  })
  const direct = await listen(app, { signals: false, legacySse: true })
  onTestFinished(() => direct.close())
  const config = upstreamConfig('it', http(direct.url), { trusted: true })
  const gateway = await started({ upstreams: [config], guard: { ...open, audit: false } })
  const toServer = new PassThrough()
  const toClient = new PassThrough()
  void wire.serveLines(app, { readable: toServer, writable: toClient })

  const called =
    (name: string, peer: Peer): JsonPath =>
    async (object) => {
      const before = received.length
      const message = joined(
        `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"${name}","arguments":`,
        object,
        '}}',
      )
      const answers = await peer.say(message, 'response')
      return outcome(
        before,
        answers.some(({ result }) => result !== undefined && result.isError !== true),
      )
    }
  const outcome = (before: number, wasAnswered: boolean): Outcome => {
    expect(received.length - before, 'calls that reached the tool').toBe(wasAnswered ? 1 : 0)
    return wasAnswered ? (received.at(-1) ?? '') : refused
  }
  const opened = async (peer: Peer): Promise<Peer> => {
    onTestFinished(() => peer.close())
    const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    await peer.say(JSON.stringify({ jsonrpc: '2.0', id: 'init', method: 'initialize', params }), 'response')
    await peer.say('{"jsonrpc":"2.0","method":"notifications/initialized"}', 'nothing')
    return peer
  }
  return {
    'body of a POST': called('hear', await opened(new HttpPeer(direct.url))),
    'body of a POST to the gateway': called('it__hear', await opened(new HttpPeer(gateway.url))),
    'Request of a fetch handler': called('hear', await opened(new HttpPeer('http://tools.test/mcp', app.fetch))),
    'body of a POST of 2024-11-05': called('hear', await opened(await twoEndpointPeer(new URL(direct.url).origin))),
    line: called('hear', await opened(linePeer({ readable: toClient, writable: toServer, close: () => toServer.end() }))),
    'management API': async (object) => {
      const before = received.length
      const reply = await fetch(`http://127.0.0.1:${gateway.port}/api/v1/tools/it__hear/try`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...credentialsFor(gateway) },
        body: joined('{"arguments":', object, '}') as BodyInit,
      })
      const text = await reply.text()
      return outcome(before, reply.ok && text.includes('event: result'))
    },
  }
}

/** Paths to a client: the object is the structured content of a result. */
async function pathsToClients(): Promise<Record<string, JsonPath>> {
  let object: Uint8Array = new Uint8Array()
  /** An unreadable message has no request id on stdio and streams, so an error with the id follows. */
  const answerTo = (text: string): { readonly message: Uint8Array; readonly afterwards?: string } | undefined => {
    const { id, method } = JSON.parse(text) as { id?: number; method: string }
    if (id === undefined) return undefined
    const reply = (result: object) => ({ message: utf8.encode(JSON.stringify({ jsonrpc: '2.0', id, result })) })
    if (method === 'initialize')
      return reply({ protocolVersion: revision, capabilities: { tools: {} }, serverInfo: { name: 'raw', version: '1' } })
    if (method === 'tools/list') return reply({ tools: [{ name: 'tell', inputSchema: { type: 'object' } }] })
    const error = { jsonrpc: '2.0', id, error: { code: -32_601, message: 'Nothing more' } }
    if (method !== 'tools/call') return { message: utf8.encode(JSON.stringify(error)) }
    return {
      message: joined(`{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":`, object, '}}'),
      afterwards: JSON.stringify(error),
    }
  }
  const raw = createServer(async (req, res) => {
    if (req.method !== 'POST') return void res.writeHead(405).end()
    const pieces: Buffer[] = []
    for await (const piece of req) pieces.push(piece as Buffer)
    const answer = answerTo(Buffer.concat(pieces).toString())
    if (answer === undefined) return void res.writeHead(202).end()
    const { message, afterwards } = answer
    if (req.url === '/json' || afterwards === undefined)
      return void res.writeHead(200, { 'content-type': 'application/json' }).end(message)
    res.writeHead(200, { 'content-type': 'text/event-stream' }).end(joined('data: ', message, '\n\ndata: ', afterwards, '\n\n'))
  })
  await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void raw.close())
  const { port } = raw.address() as AddressInfo

  const line = () => {
    const readable = new PassThrough()
    const writable = new PassThrough()
    writable.on('data', (chunk: Buffer) => {
      for (const text of chunk.toString().split('\n').filter(Boolean)) {
        const answer = answerTo(text)
        if (answer)
          readable.write(joined(answer.message, '\n', ...(answer.afterwards === undefined ? [] : [answer.afterwards, '\n'])))
      }
    })
    return { readable, writable }
  }
  const heardBy = async (target: Parameters<typeof connect>[0]): Promise<JsonPath> => {
    const client: Client = await connect(target, {
      verdicts: memoryRevisions(),
      onWarning: () => undefined,
      revision,
      guard: { sanitize: false, rateLimit: false },
    })
    onTestFinished(() => client.close())
    await client.listTools()
    return async (given) => {
      object = given
      return client.call('tell').then(
        ({ structuredContent }) => JSON.stringify(structuredContent),
        () => refused,
      )
    }
  }
  return {
    'answer in a body': await heardBy(`http://127.0.0.1:${port}/json`),
    'answer in an event': await heardBy(`http://127.0.0.1:${port}/events`),
    'answer in a line': await heardBy(linesEndpoint(line, { name: 'raw' })),
  }
}

const broken = [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0x80], [0xf4, 0x90, 0x80, 0x80], [0xef, 0xbb, 0xbf]]
const good = fc.oneof(fc.json({ maxDepth: 4 }), fc.constantFrom(...exact))
/** A valid text with invalid bytes inside. */
const misspelt = fc
  .tuple(
    good.map((text) => `[${text},"text"]`),
    fc.constantFrom(...broken),
    fc.nat(),
  )
  .map(([text, bytes, at]) => {
    const whole = utf8.encode(text)
    const cut = at % whole.length
    return joined(whole.subarray(0, cut), Uint8Array.from(bytes), whole.subarray(cut))
  })
const values = fc.oneof(
  good.map((text) => utf8.encode(text)),
  defective.map(({ text }) => utf8.encode(text)),
  misspelt,
)
const isOneLine = (bytes: Uint8Array): boolean => !bytes.includes(10) && !bytes.includes(13)

async function expectAlike(paths: Record<string, JsonPath>, value: Uint8Array): Promise<void> {
  const object = joined('{"x":', value, '}')
  const outcomes: Record<string, Outcome> = {}
  for (const [name, send] of Object.entries(paths)) outcomes[name] = await send(object)
  const reader = byTheReader(object)
  expect(outcomes).toEqual(Object.fromEntries(Object.keys(paths).map((name) => [name, reader])))
}

it.each([
  ['to a tool', pathsToTools],
  ['to a client', pathsToClients],
])('a value is accepted or refused alike on each path %s', async (_, lay) => {
  const paths = await lay()
  const files = corpus().filter(({ bytes }) => bytes.length < 10_000 && isOneLine(bytes))
  for (const { bytes } of eachNth(files, 8)) await expectAlike(paths, bytes)
  await fc.assert(
    fc.asyncProperty(values, (value) => expectAlike(paths, value)),
    { numRuns: howMany(30, 2_000) },
  )
})
