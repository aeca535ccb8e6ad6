// Servers are edited, renamed, replaced and restarted in any order. A call reaches only the server for which it was accepted,
// approved or granted.
import { join } from 'node:path'
import type { Client } from 'toolwire/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { howMany } from '../../../toolwire/test/soak.js'
import { defaultGuard, type Target } from '../../src/config/gateway-config.js'
import { type Gateway, startGateway } from '../../src/lifecycle/start-gateway.js'
import {
  addressOf,
  fingerprint,
  newProgram,
  type Spec,
  configOf as serverOf,
  targetOf,
  writeProgram,
} from '../support/identity-servers.js'
import { ask, client, configOf, folder, storeIn, until, words } from '../support/running-gateway.js'

const runs = howMany(2, 50)
const steps = 14

function randomFrom(seed: number) {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const pick = <T>(all: readonly T[]): T => all[Math.floor(next() * all.length)] as T // the list is not empty
  return { next, pick }
}

type Place = { readonly spec: Spec; readonly value: string } | { readonly tag: string; readonly url: string }
type Pending = { readonly id: string; readonly digest: string; readonly tool: { readonly name: string } }
type Drift = { readonly server: string; readonly tool: string; readonly hash: string; readonly serverIdentity: string }

/** The state of the servers that a test tracks without the gateway. */
class World {
  readonly log: string[] = []
  readonly counts = { reached: 0, kept: 0, approved: 0, granted: 0 }
  readonly places = new Map<string, Place>()
  /** The identity that each running process or address reports. */
  readonly running = new Map<string, string>()
  readonly accepted = new Map<string, string>()
  readonly granted = new Map<string, Set<string>>()
  readonly tags = new Map<string, string>()
  readonly #folder = folder()
  readonly #dataDir = join(this.#folder, 'data')
  readonly #random: ReturnType<typeof randomFrom>
  #count = 0
  #addresses: { tag: string; url: string }[] = []
  gateway!: Gateway
  one!: Client

  constructor(seed: number) {
    this.#random = randomFrom(seed)
  }

  async begin(): Promise<void> {
    const files = ['one', 'two'].map((name) => newProgram(this.#folder, name, name))
    for (const file of files) this.tags.set(file, file === files[0] ? 'one' : 'two')
    this.#addresses = await Promise.all(['here', 'there'].map(async (tag) => ({ tag, url: await addressOf(tag) })))
    this.places.set('a', { spec: { file: files[0] ?? '', args: [], env: [] }, value: 'x' })
    this.places.set('b', { spec: { file: files[1] ?? '', args: [], env: ['NOTES_B'] }, value: 'x' })
    await this.#start()
    onTestFinished(() => this.gateway.close({ drainMs: 0 }))
  }

  get #config() {
    const upstreams = [...this.places].map(([name, place]) => serverOf(name, this.#target(place)))
    return configOf({ upstreams, dataDir: this.#dataDir, guard: { ...defaultGuard, rate: false } })
  }

  #target(place: Place): Target {
    return 'url' in place ? { kind: 'http', url: place.url, headers: {} } : targetOf(place.spec, place.value)
  }

  #printOf(name: string): string {
    const place = this.places.get(name)
    if (!place) throw new Error(name)
    if ('url' in place) return JSON.stringify({ tag: place.tag })
    return fingerprint(place.spec, this.tags.get(place.spec.file) ?? '')
  }

  /** Restarts the server. An unknown name is accepted with its current tools. */
  #started(name: string): void {
    const print = this.#printOf(name)
    this.running.set(name, print)
    if (!this.accepted.has(name)) this.accepted.set(name, print)
  }

  async #start(): Promise<void> {
    const store = await storeIn(this.#dataDir)
    this.gateway = await startGateway(this.#config, { env: {}, store, patienceMs: 1 })
    for (const name of this.places.keys()) this.#started(name)
    this.one = await client(this.gateway.url)
    await this.#settled()
  }

  /** Waits until all servers are open, listed and scanned. */
  async #settled(): Promise<void> {
    const { control } = this.gateway
    await until(async () => {
      const { waiting } = await control.pins.view()
      const tools = control.tools()
      return [...this.places.keys()].every((name) => {
        const own = tools.filter(({ server }) => server === name)
        const isKnown = own.every((tool) => !tool.waiting || waiting.some((drift) => drift.tool === tool.name))
        return own.length === 2 && isKnown
      })
    })
  }

  async #changed(...restarted: string[]): Promise<void> {
    await this.gateway.change(this.#config)
    for (const name of restarted) this.#started(name)
    await this.#settled()
  }

  #edit(change: (place: { spec: Spec; value: string }) => Place) {
    return async (): Promise<void> => {
      const name = this.#random.pick([...this.places.keys()])
      const place = this.places.get(name)
      const file = [...this.tags.keys()][0] ?? ''
      this.places.set(name, change(place && 'spec' in place ? place : { spec: { file, args: [], env: [] }, value: 'x' }))
      await this.#changed(name)
    }
  }

  readonly changes: Record<string, () => Promise<void>> = {
    'edits arguments': this.#edit(({ spec, value }) => ({
      spec: { ...spec, args: this.#random.pick([[], ['--x'], ['--y']]) },
      value,
    })),
    'edits names of the environment': this.#edit(({ spec, value }) => ({
      spec: { ...spec, env: this.#random.pick([[], ['NOTES_B'], ['NOTES_C', 'NOTES_B']]) },
      value,
    })),
    'edits values of the environment': this.#edit(({ spec }) => ({ spec, value: `${++this.#count}` })),
    'edits the command': this.#edit(({ spec, value }) => ({
      spec: { ...spec, file: this.#random.pick([...this.tags.keys()]) },
      value,
    })),
    'edits the address': this.#edit(() => this.#random.pick(this.#addresses)),
    'replaces a file': async () => {
      const file = this.#random.pick([...this.tags.keys()])
      const tag = this.#random.pick(['one', 'two', 'three'])
      writeProgram(file, tag)
      this.tags.set(file, tag)
    },
    'swaps two names': async () => {
      const [[one, first], [other, second]] = [...this.places] as [[string, Place], [string, Place]] // there are two
      this.places.set(one, second).set(other, first)
      await this.#changed(one, other)
    },
    'renames a server': async () => {
      const name = this.#random.pick([...this.places.keys()])
      const free = this.#random.pick(['a', 'b', 'c', 'd'].filter((one) => !this.places.has(one)))
      const place = this.places.get(name)
      if (!place) return
      this.places.delete(name)
      this.places.set(free, place)
      await this.#changed(free)
    },
    'reloads the config': () => this.#changed(),
    'restarts a server': async () => {
      const name = this.#random.pick([...this.places.keys()])
      await this.gateway.control.restart(name)
      this.#started(name)
      await this.#settled()
    },
    'lets a server die': async () => {
      const name = this.#random.pick([...this.places.keys()])
      const place = this.places.get(name)
      if (!place || 'url' in place || this.running.get(name) !== this.accepted.get(name)) return
      await this.one.call(`${name}__look`, { die: true }).catch(() => undefined)
      this.#started(name)
      await until(() => this.#isBack(name))
      await this.#settled()
    },
    'restarts the gateway': async () => {
      await this.gateway.close({ drainMs: 0 })
      await this.#start()
    },
  }

  /** Waits for the restart, as the same server or the new one. */
  async #isBack(name: string): Promise<boolean> {
    await this.one.call(`${name}__look`).catch(() => undefined)
    return this.gateway.control.servers().some(({ id, state }) => id === name && state === 'ready')
  }

  async changeSomething(): Promise<void> {
    const what = this.#random.pick(Object.keys(this.changes))
    this.log.push(what)
    await this.changes[what]?.()
  }

  async doSomething(): Promise<void> {
    const { next } = this.#random
    if (next() < 0.45) await this.changeSomething()
    const name = this.#random.pick([...this.places.keys()])
    const kind = next()
    if (kind < 0.35) await this.look(name)
    else if (kind < 0.6) await this.write(name)
    else if (kind < 0.8) await this.comeBack(name)
    else await this.accept(name)
  }

  /** Undefined if refused. Tools that the client has not listed are called as well. */
  async #call(tool: string, held = false): Promise<string | undefined> {
    try {
      const isListed = (await this.one.listTools({ fresh: true })).some(({ name }) => name === tool)
      const result =
        held && isListed
          ? await this.one.call(tool, {}, { onProgress: () => undefined })
          : ((await this.one.request('tools/call', { name: tool, arguments: {} })) as unknown as Awaited<
              ReturnType<Client['call']>
            >)
      return result.isError ? undefined : words(result)
    } catch {
      return undefined
    }
  }

  async look(name: string): Promise<void> {
    this.log.push(`looks at ${name}`)
    const fingerprint = await this.#call(`${name}__look`)
    const isAccepted = this.running.get(name) === this.accepted.get(name)
    expect(fingerprint, this.log.join('\n')).toBe(isAccepted ? this.running.get(name) : undefined)
    this.counts[isAccepted ? 'reached' : 'kept']++
  }

  async accept(name: string): Promise<void> {
    this.log.push(`accepts ${name}`)
    const { waiting } = (await ask(this.gateway, '/pins')).body as unknown as { waiting: Drift[] }
    const own = waiting.filter(({ server }) => server === name)
    expect(own.length, this.log.join('\n')).toBe(this.running.get(name) === this.accepted.get(name) ? 0 : 2)
    const definitions = own.map(({ server, tool, hash, serverIdentity }) => ({ server, tool, hash, serverIdentity }))
    const { body } = await ask(this.gateway, '/pins/accept-many', { body: { definitions } })
    expect(body, this.log.join('\n')).toMatchObject({ stale: [] })
    this.accepted.set(name, this.running.get(name) ?? '')
  }

  async #waiting(name: string): Promise<Pending | undefined> {
    const { approvals } = (await ask(this.gateway, '/approvals')).body as unknown as { approvals: Pending[] }
    return approvals.find(({ tool }) => tool.name === `${name}__write`)
  }

  /** A call that waits for a decision, which follows after other steps. */
  async write(name: string): Promise<void> {
    this.log.push(`writes to ${name}`)
    const asked = this.running.get(name)
    let answer: { fingerprint: string | undefined } | undefined
    const calling = this.#call(`${name}__write`, true).then((fingerprint) => {
      answer = { fingerprint }
    })
    let request: Pending | undefined
    await until(async () => {
      request = await this.#waiting(name)
      return request !== undefined || answer !== undefined
    })
    if (!request) return this.#grantedCall(name, answer?.fingerprint)
    if (this.#random.next() < 0.6) await this.changeSomething()
    const always = this.#random.next() < 0.4
    const { status } = await this.#decide(request, always)
    if (status !== 200) await this.#denyAll()
    await calling
    const fingerprint = answer?.fingerprint
    // An answer can only come from the server that the approval named.
    if (fingerprint !== undefined) {
      expect(fingerprint, this.log.join('\n')).toBe(asked)
      this.counts.approved++
      if (always) this.#grant(name, fingerprint)
    }
  }

  /** A call that must be retried after approval, with other steps meanwhile. */
  async comeBack(name: string): Promise<void> {
    this.log.push(`asks to write to ${name}`)
    const asked = this.running.get(name)
    const first = await this.#call(`${name}__write`)
    const request = await this.#waiting(name)
    if (!request) return this.#grantedCall(name, first)
    if (this.#random.next() < 0.7) await this.changeSomething()
    if (this.places.has(name)) {
      await this.#decide(request, false)
      if (this.#random.next() < 0.5) await this.changeSomething()
      const fingerprint = this.places.has(name) ? await this.#call(`${name}__write`) : undefined
      if (fingerprint !== undefined && !this.granted.get(name)?.has(fingerprint)) {
        expect(fingerprint, this.log.join('\n')).toBe(asked)
        expect(fingerprint, this.log.join('\n')).toBe(this.accepted.get(name))
        this.counts.approved++
      }
    }
    await this.#denyAll()
  }

  #grantedCall(name: string, fingerprint: string | undefined): void {
    if (fingerprint === undefined) return void this.counts.kept++
    expect(this.granted.get(name), this.log.join('\n')).toContain(fingerprint)
    expect(fingerprint, this.log.join('\n')).toBe(this.accepted.get(name))
    this.counts.granted++
  }

  #grant(name: string, print: string): void {
    this.granted.set(name, (this.granted.get(name) ?? new Set()).add(print))
  }

  #decide({ id, digest }: Pending, always: boolean) {
    const body = { decision: 'allow', hash: digest, ...(always && { always: { forMs: 3_600_000 } }) }
    this.log.push(`allows ${id.slice(0, 4)}${always ? ' always' : ''}`)
    return ask(this.gateway, `/approvals/${id}`, { body })
  }

  async #denyAll(): Promise<void> {
    const { approvals } = (await ask(this.gateway, '/approvals')).body as unknown as { approvals: Pending[] }
    for (const { id } of approvals) await ask(this.gateway, `/approvals/${id}`, { body: { decision: 'deny' } })
  }
}

describe('a call', () => {
  it.each(
    Array.from({ length: runs }, (_, at) => at + 1),
  )('reaches only the server that was accepted, approved or granted, in run %i', async (seed) => {
    const world = new World(seed)
    await world.begin()
    for (const name of world.places.keys()) await world.look(name)
    for (let step = 0; step < steps; step++) await world.doSomething()
    expect(world.counts.reached).toBeGreaterThanOrEqual(2)
  })
})
