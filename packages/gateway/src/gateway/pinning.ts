// Tools are what they were when somebody accepted them. What an upstream lists when it has never been seen is what the operator has
// put there, unless they are strict; what comes later, or changes, waits until somebody accepts it, and until then no caller sees it.
import type { ListedTool, ReadyTool } from 'toolwire'
import { type Advice, type AdviceKind, type Drift, definitionHash, type PinStore, type Policy, pin, scan } from 'toolwire/guard'

export type PinningOptions = {
  readonly store: PinStore
  /** What is listed by an upstream that nobody has seen before waits as well. */
  readonly strict: boolean
  /** What somebody should hear about. */
  readonly onDrift: (drift: Drift) => void
  /** Callers see other tools under these names than before. */
  readonly onChange: (names: readonly string[]) => void
  readonly onTrouble: (words: string) => void
}

/** These are looked at by a person even where the upstream is new. */
const grave: ReadonlySet<AdviceKind> = new Set(['hidden', 'instructions'])

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
  readonly #held = new Set<ReadyTool>()
  #batch: ReadyTool[] = []
  #working: Promise<void> = Promise.resolve()

  private constructor(options: PinningOptions, known: Set<string>) {
    const { store, onDrift, strict } = options
    this.#options = options
    this.strict = strict
    this.#known = known
    this.#pin = pin({ store, onDrift, unknown: 'refuse', changed: 'refuse', scan: true })
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
    const held = [...this.#held]
    return this.#pin.drifted().filter(({ tool, hash }) => held.some((one) => one.name === tool && definitionHash(one) === hash))
  }

  /** Settles when everything that has been listed was looked at. */
  async settled(): Promise<void> {
    await Promise.resolve()
    await this.#working
  }

  async accept(server: string, tool: string, hash: string): Promise<void> {
    await this.#pin.accept(server, tool, hash)
    for (const held of this.#held) if (isAt(held, server, tool) && definitionHash(held) === hash) this.#release(held)
    this.#options.onChange([tool])
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

  /** Looks at a tool that has just been registered, together with all that are registered in the same turn. */
  arrived(tool: ReadyTool): void {
    if (this.#batch.length === 0) queueMicrotask(() => this.#look())
    this.#batch.push(tool)
  }

  #look(): void {
    const batch = this.#batch
    this.#batch = []
    this.#working = this.#working
      .then(() => this.#lookAt(batch))
      .catch((thrown) =>
        this.#options.onTrouble(`Definitions of tools could not be looked at, so they are not offered: ${thrown}`),
      )
  }

  async #lookAt(batch: readonly ReadyTool[]): Promise<void> {
    const servers = new Set(batch.map(serverOf))
    const fresh = new Set([...servers].filter((server) => !this.#known.has(server)))
    const opened: string[] = []
    for (const tool of batch) {
      if (!this.strict && fresh.has(serverOf(tool))) await this.#firstSight(tool)
      const [drift] = await this.#pin.check([tool], serverOf(tool))
      this.#forgetOlder(tool)
      if (drift) this.#held.add(tool)
      else this.#release(tool)
      if (!drift) opened.push(tool.name)
    }
    for (const server of fresh) this.#known.add(server)
    if (opened.length > 0) this.#options.onChange(opened)
  }

  async #firstSight(tool: ReadyTool): Promise<void> {
    const server = serverOf(tool)
    const { store } = this.#options
    const definition = structuredClone(tool.listed) as object
    if ((await store.get(server, tool.name)) || adviceOn(tool).some(({ kind }) => grave.has(kind))) return
    await store.set({ server, tool: tool.name, hash: definitionHash(tool), definition: { ...definition }, at: Date.now() })
  }

  #release(tool: ReadyTool): void {
    this.#held.delete(tool)
    this.#open.add(tool.listed)
  }

  #forgetOlder(tool: ReadyTool): void {
    const hash = definitionHash(tool)
    for (const held of this.#held)
      if (isAt(held, serverOf(tool), tool.name) && definitionHash(held) !== hash) this.#held.delete(held)
  }
}

const serverOf = ({ definition }: ReadyTool): string => definition.server ?? ''
const isAt = (tool: ReadyTool, server: string, name: string): boolean => serverOf(tool) === server && tool.name === name

function adviceOn(tool: ReadyTool): readonly Advice[] {
  return scan({ ...(tool.listed as object) }, { server: serverOf(tool) })
}
