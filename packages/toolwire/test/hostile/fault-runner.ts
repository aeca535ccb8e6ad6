// Runs a client against a hostile server, with a good server at the same time.
import { type Client, type ConnectOptions, connect, memoryRevisions } from '../../src/client/index.js'
import { childEndpoint } from '../../src/transports/stdio/client/child/child-endpoint.js'
import { howMany } from '../soak.js'
import { type Carrier, type Fault, pause, type RevisionStyle, type Tally } from './fault.js'
import { Programs } from './programs.js'
import { Watch, type Watched } from './watch.js'

export type Place = { readonly carrier: Carrier; readonly style: RevisionStyle }

/** The value or error of an action, and its duration. */
export type Outcome = { readonly value?: unknown; readonly thrown?: unknown; readonly ms: number }

export type Played = {
  readonly outcome: Outcome
  /** Another call of the same client; absent if the client never connected. */
  readonly afterwards: Outcome | undefined
  /** How many of the good calls had the right result. */
  readonly good: number
  readonly tally: Tally
  readonly watched: Watched
  /** The log of the server so far. */
  readonly seen: () => string[]
}

export const goodCalls = howMany(20, 100)
/** Shorter than the default, to keep the tests fast. */
const childGraceMs = 300

export class FaultRunner {
  readonly #programs: Programs
  readonly #hostile: string
  readonly #elsewhere: string
  readonly #good: Readonly<Record<Carrier, Client>>
  #runs = 0

  private constructor(programs: Programs, urls: string, good: Readonly<Record<Carrier, Client>>) {
    const [hostile = '', elsewhere = ''] = urls.split(' ')
    this.#programs = programs
    this.#hostile = hostile
    this.#elsewhere = elsewhere
    this.#good = good
  }

  static async open(): Promise<FaultRunner> {
    const programs = await Programs.make()
    const [urls, good] = await Promise.all([programs.start('http-server'), programs.start('good')])
    const [http, stdio] = await Promise.all([
      connect(good),
      connect({ command: process.execPath, args: [programs.path('good'), 'stdio'] }),
    ])
    const runner = new FaultRunner(programs, urls, { http, stdio })
    // Warms up both clients, so that loading and compiling code is not measured.
    await Promise.all([runner.#goodCalls('http'), runner.#goodCalls('stdio')])
    return runner
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#good).map((client) => client.close()))
    this.#programs.end()
  }

  /** One run. The client makes another call afterwards, unless `goesOn` is false. */
  async play(fault: Fault, place: Place, goesOn = true): Promise<Played> {
    const run = `run-${++this.#runs}`
    const tally: Tally = { progress: [], warnings: [], asked: 0, changes: 0 }
    const options = {
      verdicts: memoryRevisions(),
      onWarning: (text: string) => void tally.warnings.push(text),
      ...fault.options?.(tally),
    }
    const watch = new Watch()
    const [met, good] = await Promise.all([
      this.#meet(fault, { ...place, run, options, tally }),
      pause(30).then(() => this.#goodCalls(place.carrier)),
    ])
    const afterwards = met.client && goesOn ? await measured(met.client.call('echo', { text: 'still here' })) : undefined
    await met.client?.close()
    return { outcome: met.outcome, afterwards, good, tally, watched: watch.stop(), seen: () => this.#programs.seen(run) }
  }

  async #meet(
    fault: Fault,
    { carrier, style, run, options, tally }: Place & { run: string; options: ConnectOptions; tally: Tally },
  ) {
    const began = performance.now()
    const url = `${this.#hostile}/${encodeURIComponent(fault.name)}/${style}/${run}`
    const target = carrier === 'stdio' ? this.#command(fault, style, run) : fault.older ? ({ type: 'sse', url } as const) : url
    let client: Client | undefined
    try {
      client = await connect(target, options)
    } catch (thrown) {
      return { client, outcome: { thrown, ms: performance.now() - began } }
    }
    const outcome = await measured(fault.does ? fault.does(client, tally) : client.call('bad'))
    return { client, outcome }
  }

  #command(fault: Fault, style: RevisionStyle, run: string) {
    const { folder } = this.#programs
    const args = [this.#programs.path('child'), fault.name, style, `${folder}/${run}`, `${this.#elsewhere}/${run}`]
    return childEndpoint({ command: process.execPath, args }, { graceMs: childGraceMs })
  }

  async #goodCalls(carrier: Carrier): Promise<number> {
    const numbers = Array.from({ length: goodCalls }, (_, n) => n)
    const results = await Promise.allSettled(numbers.map((n) => this.#good[carrier].call('double', { n })))
    const isRight = (result: (typeof results)[number], n: number) =>
      result.status === 'fulfilled' && JSON.stringify(result.value.structuredContent) === JSON.stringify({ twice: 2 * n })
    return results.filter(isRight).length
  }
}

async function measured(doing: Promise<unknown>): Promise<Outcome> {
  const began = performance.now()
  try {
    return { value: await doing, ms: performance.now() - began }
  } catch (thrown) {
    return { thrown, ms: performance.now() - began }
  }
}
