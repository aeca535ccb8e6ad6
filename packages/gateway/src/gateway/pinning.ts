// Tools are what they were when somebody accepted them. What an upstream lists when it has never been seen is what the operator has
// put there, unless they are strict; what comes later, or changes, waits until somebody accepts it, and until then no caller sees it.
import type { ListedTool, ReadyTool } from 'toolwire'
import { type Drift, definitionHash, type OtherTool, type PinStore, type Policy, pin, restful, scan } from 'toolwire/guard'

export type PinningOptions = {
  readonly store: PinStore
  /** What is listed by an upstream that nobody has seen before waits as well. */
  readonly strict: boolean
  /** What somebody should hear about: what was found together, together. */
  readonly onDrift: (drifts: readonly Drift[]) => void
  /** Every tool that is there now, for the scan to know which names belong to whom. */
  readonly listed: () => readonly ReadyTool[]
  /** Settles when every list that is being registered is registered whole. */
  readonly registered: () => Promise<void>
  /** Callers see other tools under these names than before. */
  readonly onChange: (names: readonly string[]) => void
  readonly onTrouble: (words: string) => void
}

export class Pinning {
  readonly policy: Policy
  strict: boolean
  readonly #options: PinningOptions
  readonly #pin
  readonly #known: Set<string>
  /** What callers may see, by what is listed: a tool that is served is another object than the one that was made ready. */
  readonly #open = new WeakSet<ListedTool>()
  /** Lists of which callers may see everything: what they may see once, they always may. */
  readonly #whole = new WeakSet<readonly ReadyTool[]>()
  readonly #held = new HeldTools()
  #batch: ReadyTool[] = []
  #untold: Drift[] = []
  #isLooking = false
  /** As they were when they were last looked at: one list for as long, which is read once. */
  #others: readonly OtherTool[] = []
  #working: Promise<void> = Promise.resolve()

  private constructor(options: PinningOptions, known: Set<string>) {
    const { store, strict } = options
    this.#options = options
    this.strict = strict
    this.#known = known
    const others = () => this.#others
    const onDrift = (drift: Drift) => this.#drifted(drift)
    this.#pin = pin({ store, onDrift, unknown: 'refuse', changed: 'refuse', scan: { others, nameOf, pinnedToo: true } })
    this.policy = {
      name: 'pin',
      list: (tools) => this.#opened(tools),
      call: (call, next) => this.#pinned(call, next),
    }
  }

  static async open(options: PinningOptions): Promise<Pinning> {
    const pins = await options.store.list()
    return new Pinning(options, new Set(pins.flatMap(({ server }) => server ?? [])))
  }

  get waiting(): readonly Drift[] {
    const held = new Set(this.#held.all.map((tool) => placeOf(tool.name, definitionHash(tool))))
    return this.#pin.drifted().filter(({ tool, hash }) => held.has(placeOf(tool, hash)))
  }

  /** Settles when everything that has been listed was looked at. */
  async settled(): Promise<void> {
    await Promise.resolve()
    await this.#working
  }

  async accept(server: string, tool: string, hash: string): Promise<void> {
    await this.#pin.accept(server, tool, hash)
    for (const held of this.#held.at(server, tool)) if (definitionHash(held) === hash) this.#release(held)
    this.#options.onChange([tool])
  }

  #drifted(drift: Drift): void {
    if (this.#untold.push(drift) === 1 && !this.#isLooking) queueMicrotask(() => this.#tell())
  }

  #tell(): void {
    const drifts = this.#untold
    this.#untold = []
    if (drifts.length > 0) this.#options.onDrift(drifts)
  }

  #opened(tools: readonly ReadyTool[]): readonly ReadyTool[] {
    if (this.#whole.has(tools)) return tools
    const open = tools.filter((tool) => this.isOpen(tool))
    if (open.length < tools.length) return open
    this.#whole.add(tools)
    return tools
  }

  isOpen(tool: ReadyTool): boolean {
    return this.#open.has(tool.listed)
  }

  readonly #pinned: NonNullable<Policy['call']> = (call, next) => {
    const { call: check } = this.#pin
    return check ? check(call, next) : next(call)
  }

  /** Looks at a tool that has just been registered, together with all that are registered with it. */
  arrived(tool: ReadyTool): void {
    if (this.#batch.length === 0) queueMicrotask(() => this.#look())
    this.#batch.push(tool)
  }

  #look(): void {
    this.#working = this.#working
      .then(async () => {
        await this.#options.registered()
        const batch = this.#batch
        this.#batch = []
        this.#isLooking = true
        await this.#lookAt(batch)
      })
      .catch((thrown) =>
        this.#options.onTrouble(`Definitions of tools could not be looked at, so they are not offered: ${thrown}`),
      )
      .finally(() => {
        this.#isLooking = false
        this.#tell()
      })
  }

  async #lookAt(batch: readonly ReadyTool[]): Promise<void> {
    const servers = new Set(batch.map(serverOf))
    const fresh = new Set([...servers].filter((server) => !this.#known.has(server)))
    const opened: string[] = []
    const rest = restful()
    this.#others = await this.#namesNow()
    for (const tool of batch) {
      const pause = rest()
      if (pause) await pause
      if (!this.strict && fresh.has(serverOf(tool))) await this.#firstSight(tool)
      const [drift] = await this.#pin.check([tool], serverOf(tool))
      this.#held.forgetOlder(tool)
      if (drift) this.#held.add(tool)
      else this.#release(tool)
      if (!drift) opened.push(tool.name)
    }
    for (const server of fresh) this.#known.add(server)
    this.#forgetGone()
    if (opened.length > 0) this.#options.onChange(opened)
  }

  /** Of what is there, and of what was accepted and may be away just now. */
  async #namesNow(): Promise<readonly OtherTool[]> {
    const pins = await this.#options.store.list()
    const pinned = pins.map(({ server, tool }) => ({ server, name: nameOf(server, tool) }))
    return [...pinned, ...this.#options.listed().map(ownNameOf)]
  }

  async #firstSight(tool: ReadyTool): Promise<void> {
    const server = serverOf(tool)
    const { store } = this.#options
    const definition = structuredClone(tool.listed) as object
    if ((await store.get(server, tool.name)) || this.#isMisleading(tool)) return
    await store.set({ server, tool: tool.name, hash: definitionHash(tool), definition: { ...definition }, at: Date.now() })
  }

  /** What an honest server says is accepted with it, though it may be noted; what few of them say waits for a person. */
  #isMisleading(tool: ReadyTool): boolean {
    const { server, name } = ownNameOf(tool)
    return scan({ ...(tool.listed as object), name }, { server, others: this.#others }).some(({ holds }) => holds)
  }

  #release(tool: ReadyTool): void {
    this.#held.delete(tool)
    this.#open.add(tool.listed)
  }

  /** A server that thinks of new names all the time is not to fill the memory. */
  #forgetGone(): void {
    const names = new Set(this.#options.listed().map(({ name }) => name))
    for (const held of this.#held.all) {
      if (names.has(held.name)) continue
      this.#held.delete(held)
      this.#pin.forget(serverOf(held), held.name)
    }
  }
}

/** Tools that wait, found by where they are. */
class HeldTools {
  readonly #byPlace = new Map<string, Set<ReadyTool>>()

  get all(): readonly ReadyTool[] {
    return [...this.#byPlace.values()].flatMap((tools) => [...tools])
  }

  at(server: string, name: string): readonly ReadyTool[] {
    return [...(this.#byPlace.get(JSON.stringify([server, name])) ?? [])]
  }

  add(tool: ReadyTool): void {
    const place = JSON.stringify([serverOf(tool), tool.name])
    const tools = this.#byPlace.get(place)
    if (tools) tools.add(tool)
    else this.#byPlace.set(place, new Set([tool]))
  }

  delete(tool: ReadyTool): void {
    const place = JSON.stringify([serverOf(tool), tool.name])
    const tools = this.#byPlace.get(place)
    tools?.delete(tool)
    if (tools?.size === 0) this.#byPlace.delete(place)
  }

  /** What was under the name before, with another definition. */
  forgetOlder(tool: ReadyTool): void {
    const hash = definitionHash(tool)
    for (const held of this.at(serverOf(tool), tool.name)) if (definitionHash(held) !== hash) this.delete(held)
  }
}

const placeOf = (tool: string, hash: string): string => `${hash} ${tool}`
const serverOf = ({ definition }: ReadyTool): string => definition.server ?? ''

/** Callers see the names of servers before those of their tools; texts speak of tools as their server does. */
function nameOf(server: string | undefined, tool: string): string {
  const prefix = `${server ?? ''}__`
  return tool.startsWith(prefix) ? tool.slice(prefix.length) : tool
}

const ownNameOf = (tool: ReadyTool): OtherTool => ({ server: serverOf(tool), name: nameOf(serverOf(tool), tool.name) })
