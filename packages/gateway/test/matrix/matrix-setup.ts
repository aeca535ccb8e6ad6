// The servers, gateways and caller connections, which many cells share.
import { fileURLToPath } from 'node:url'
import { type Client, connect, memoryRevisions } from 'toolwire/client'
import { type Listening, listen } from 'toolwire/node'
import type { Answering, types } from 'toolwire/relay'
import type { UpstreamConfig } from '../../src/config/gateway-config.js'
import { built } from '../support/build-program.js'
import { config } from '../support/upstream-fixture.js'
import { aggregateServerOf, type OpenedServer } from './aggregate-server-of.js'
import { callers, idOf, isTried, isTriedFrom, type Side, servers } from './revisions.js'
import { sampleServer } from './sample-server.js'

/** Callers have a name, because a question over stdio could otherwise belong to any of several anonymous callers. */
const caller = { id: 'ada', scopes: [] }
const streamOf = (url: string): string => new URL('/sse', url).href

export class MatrixSetup {
  readonly #closers: (() => Promise<void>)[] = []
  #upstreams: readonly UpstreamConfig[] = []
  #gateway = ''
  readonly #urls = new Map<boolean, string>()

  async open(): Promise<void> {
    const [server, gateway] = await Promise.all([program('./server.program.ts'), program('./gateway.program.ts')])
    this.#gateway = gateway
    this.#upstreams = await Promise.all(servers.map((side) => this.#upstream(side, server)))
    for (const pocket of [false, true]) this.#urls.set(pocket, await this.#gatewayOverHttp(pocket))
  }

  /** Closes in reverse order, so that users are closed before the resources they use. */
  async close(): Promise<void> {
    for (const close of this.#closers.reverse()) await close()
  }

  caller(side: Side, answers: Answering): Promise<Client> {
    const { revision, transport, pocket } = side
    const upstreams = this.#triedFrom([side])
    const url = this.#urls.get(pocket) ?? ''
    const targets: { readonly [T in Side['transport']]: () => types.Target } = {
      HTTP: () => url,
      'HTTP+SSE': () => ({ type: 'sse', url: streamOf(url) }),
      stdio: () => nodeProgram([this.#gateway, pocket ? 'pocket' : 'official', JSON.stringify(upstreams)]),
    }
    return connect(targets[transport](), {
      revision: revision.version,
      answers,
      verdicts: memoryRevisions(),
      // The gateway is under test here, so the client sends calls unchanged.
      guard: { audit: false, rateLimit: false, sanitize: false },
      limits: { questionsPerMinute: 1_000 },
    })
  }

  /** A gateway has only the upstreams that its cells use, because many of them are processes. */
  #triedFrom(sides: readonly Side[]): readonly UpstreamConfig[] {
    const tried = servers.filter((one) =>
      sides.some((side) => isTried(side, one) || (side.transport === 'HTTP' && isTriedFrom(side, one))),
    )
    return this.#upstreams.filter(({ id }) => tried.some((one) => idOf(one) === id))
  }

  async #upstream(side: Side, server: string): Promise<UpstreamConfig> {
    const { version } = side.revision
    const id = idOf(side)
    if (side.transport === 'stdio') return config(id, { kind: 'child', ...nodeProgram([server, version, id]), env: {} })
    const { url } = await this.#listen(sampleServer(version, id))
    if (side.transport === 'HTTP') return config(id, { kind: 'http', url, headers: {} })
    return config(id, { kind: 'sse', url: streamOf(url), headers: {} })
  }

  async #gatewayOverHttp(pocket: boolean): Promise<string> {
    const overHttp = callers.filter((side) => side.pocket === pocket && side.transport !== 'stdio')
    const { offer, close }: OpenedServer = await aggregateServerOf(this.#triedFrom(overHttp), pocket)
    this.#closers.push(close)
    return (await this.#listen(offer.server, { authenticate: async () => caller })).url
  }

  async #listen(app: Parameters<typeof listen>[0], options: types.ListenOptions = {}): Promise<Listening> {
    const listening = await listen(app, { signals: false, legacySse: true, ...options })
    this.#closers.push(() => listening.close())
    return listening
  }
}

const program = async (source: string): Promise<string> => fileURLToPath(await built(new URL(source, import.meta.url)))
const nodeProgram = (args: readonly string[]) => ({ command: process.execPath, args })
