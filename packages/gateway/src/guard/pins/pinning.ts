// Tools stay as they were when they were accepted. The tools of a new server are accepted, unless pins are strict. Later additions and
// changes are withheld from all callers until a person accepts them. So are the tools that another server lists under a known name.
// Prompts, resources and templates are withheld if pins are strict, or if a scan finds what few honest servers say.
import { type Drift, definitionHash, type Pin, type Policy, pin, type ReadyTool } from 'toolwire/guard'
import { type ListedTool, sanitizing, yieldWhenBusy } from 'toolwire/relay'
import type { ListedDefinition } from '../../catalog/definitions/settle-names.js'
import type { StoredPins } from '../../store/store.js'

export type PinningOptions = {
  readonly store: StoredPins
  /** The tools of a new upstream are withheld as well. */
  readonly strict: boolean
  /** Receives all drifts that were found together. */
  readonly onDrift: (drifts: readonly Drift[]) => void
  /** Receives all definitions that were accepted together because their server is new. */
  readonly onAccepted: (definitions: readonly AcceptedDefinition[]) => void
  /** Every registered tool, so that the scan knows which names belong to which server. */
  readonly listed: () => readonly ReadyTool[]
  /** Every prompt, resource and template that is currently listed. */
  readonly listedDefinitions: () => readonly Pick<ListedDefinition, 'server' | 'kind' | 'name'>[]
  /** Settles when every list in progress is completely registered. */
  readonly registered: () => Promise<void>
  /** Called when the visible tools of these names have changed. */
  readonly onChange: (names: readonly string[]) => void
  /** Called when a definition of another server was accepted under a known name. */
  readonly onServer: () => void
  readonly onTrouble: (words: string) => void
  /** True once nothing needs to be checked any more. */
  readonly isStopping: () => boolean
}

/** A definition that was accepted without asking a person. */
export type AcceptedDefinition = { readonly server: string; readonly tool: string; readonly hash: string }

export class Pinning {
  readonly policy: Policy
  readonly #options: PinningOptions
  readonly #pin
  /** Servers whose tools were checked. */
  readonly #known = new Set<string>()
  /** The identities of accepted servers, by the server's name. */
  readonly #accepted = new Map<string, Set<string | undefined>>()
  /** Visible tools, by their listed form, because the served tool is another object than the prepared one. */
  readonly #open = new WeakSet<ListedTool>()
  /** Lists without withheld tools. A visible tool stays visible, so such a list is checked only once. */
  readonly #whole = new WeakSet<readonly ReadyTool[]>()
  readonly #held = new HeldTools()
  /** Prompts, resources and templates in the form of tools, by their original object. */
  readonly #listed = new WeakMap<object, ReadyTool>()
  /** Forgotten prompts, resources and templates; they are checked again if they come back. */
  readonly #forgotten = new WeakSet<ReadyTool>()
  readonly #prompts = new Map<string, sanitizing.OtherTool>()
  readonly #batch: ReadyTool[] = []
  readonly #unreported: Drift[] = []
  readonly #unreportedAccepted: AcceptedDefinition[] = []
  #isChecking = false
  #isTidying = false
  /** The last check failed, and is made again. */
  #isFailing = false
  /** Names of other tools at the last check: one list object until the next check, because the scan reads a list only once. */
  #others: readonly sanitizing.OtherTool[] = []
  #working: Promise<void> = Promise.resolve()
  readonly #stopListening: () => void
  #isClosed = false

  private constructor(options: PinningOptions, pins: readonly Pin[]) {
    const { store } = options
    this.#options = options
    for (const pin of pins) this.#noteServer(pin)
    const others = () => this.#others
    const onDrift = (drift: Drift) => {
      if (this.#unreported.push(drift) === 1 && !this.#isChecking) queueMicrotask(() => this.#report())
    }
    this.#pin = pin({ store, onDrift, unknown: 'refuse', changed: 'refuse', scan: { others, nameOf, pinnedToo: true } })
    const { call: check } = this.#pin
    this.#stopListening = store.onAccept((pin) => this.noteAccepted(pin))
    this.policy = { name: 'pin', list: (tools) => this.#visible(tools), ...(check && { call: check }) }
  }

  static async open(options: PinningOptions): Promise<Pinning> {
    return new Pinning(options, await options.store.list())
  }

  /** Another pinning takes its place, so nothing is accepted or checked any more. */
  close(): void {
    this.#isClosed = true
    this.#stopListening()
  }

  get waiting(): readonly Drift[] {
    const held = new Set(this.#held.all.map((tool) => placeOf({ tool: tool.name, ...versionOf(tool) })))
    return this.#pin.drifted().filter((drift) => held.has(placeOf(drift)))
  }

  /** Settles when everything listed so far has been checked. */
  async settled(): Promise<void> {
    await Promise.resolve()
    await this.#working
  }

  async accept({ server, tool, hash, serverIdentity }: Accepting): Promise<void> {
    await this.#pin.accept(server, tool, hash, serverIdentity)
    const pin = await this.#options.store.get(server, tool)
    const isNew = this.conflictingServer(server, pin?.serverIdentity) !== undefined
    if (pin) this.#noteServer(pin)
    if (isNew) this.#options.onServer()
    for (const held of this.#held.at(server, tool)) if (pin && isVersion(held, pin)) this.#release(held)
    this.#options.onChange([tool])
  }

  /** Notes a pin that another gateway, or another part of this one, has stored. */
  noteAccepted(pin: Pin): void {
    const { server = '', tool, serverIdentity } = pin
    const isNew = this.conflictingServer(server, serverIdentity) !== undefined
    this.#noteServer(pin)
    if (isNew) this.#options.onServer()
    const now = this.#held.at(server, tool).filter((held) => isVersion(held, pin))
    for (const held of now) this.#release(held)
    if (now.length > 0) this.#options.onChange([tool])
  }

  /** The last server accepted under this name, unless the given one was accepted too. */
  conflictingServer(server: string, serverIdentity: string | undefined): Drift['anotherServer'] {
    const accepted = this.#accepted.get(server)
    return accepted === undefined || accepted.has(serverIdentity) ? undefined : { accepted: [...accepted].at(-1) }
  }

  #noteServer({ server = '', serverIdentity }: Pick<Pin, 'server' | 'serverIdentity'>): void {
    const accepted = this.#accepted.get(server) ?? new Set()
    this.#accepted.set(server, accepted.add(serverIdentity))
  }

  #report(): void {
    const [drifts, accepted] = [this.#unreported.splice(0), this.#unreportedAccepted.splice(0)]
    if (drifts.length > 0) this.#options.onDrift(drifts)
    if (accepted.length > 0) this.#options.onAccepted(accepted)
  }

  #visible(tools: readonly ReadyTool[]): readonly ReadyTool[] {
    if (this.#whole.has(tools)) return tools
    const open = tools.filter((tool) => this.isOpen(tool))
    if (open.length < tools.length) return open
    this.#whole.add(tools)
    return tools
  }

  isOpen(tool: ReadyTool): boolean {
    return this.#open.has(tool.listed)
  }

  /** Like `isOpen`, for a prompt, a resource or a template. The first call starts its check. */
  isListedOpen({ made, server, serverIdentity, kind, name, definition }: ListedDefinition): boolean {
    let listed = this.#listed.get(made)
    if (!listed || this.#forgotten.has(listed)) {
      // Pinned as a tool with a space in its name, which no real tool can have.
      const about = { name: definitionName({ kind, name }), listed: { ...definition }, definition: { server, serverIdentity } }
      listed = about as unknown as ReadyTool
      this.#listed.set(made, listed)
      this.noteTool(listed)
    }
    return this.isOpen(listed)
  }

  /** Schedules a check of a registered tool, together with all tools that are registered with it. */
  noteTool(tool: ReadyTool): void {
    if (this.#batch.length === 0) queueMicrotask(() => this.#scheduleCheck())
    this.#batch.push(tool)
  }

  /** Drops withheld definitions that are no longer listed. */
  tidy(): void {
    if (this.#isTidying || (this.#held.isEmpty && this.#prompts.size === 0)) return
    this.#isTidying = true
    const tidied = this.#working.then(async () => {
      // A set may have a tool before the endpoint with everything has it.
      await this.#options.registered().finally(() => {
        this.#isTidying = false
      })
      this.#forgetGone()
    })
    // A rejected promise would stop all later checks.
    this.#working = tidied.catch((thrown: unknown) =>
      this.#options.onTrouble(`Withheld definitions that are no longer listed cannot be dropped: ${thrown}`),
    )
  }

  #scheduleCheck(): void {
    this.#working = this.#working.then(async () => {
      await this.#options.registered()
      if (this.#isClosed) return
      const batch = this.#batch.splice(0)
      this.#isChecking = true
      try {
        await this.#check(batch)
        this.#isFailing = false
      } catch (thrown) {
        this.#checkAgain(batch, thrown)
      }
      this.#isChecking = false
      this.#report()
    })
  }

  #checkAgain(batch: readonly ReadyTool[], why: unknown): void {
    if (this.#isClosed || this.#options.isStopping()) return
    const words = `Tool definitions cannot be checked, so they are hidden until they are: ${why}. The next attempt begins in a second`
    if (!this.#isFailing) this.#options.onTrouble(words)
    this.#isFailing = true
    setTimeout(() => {
      for (const tool of batch) this.noteTool(tool)
    }, checkAgainMs).unref()
  }

  async #check(batch: readonly ReadyTool[]): Promise<void> {
    const servers = new Set(batch.filter(isTool).map(serverOf))
    for (const prompt of batch) if (prompt.name.startsWith('prompt ')) this.#prompts.set(placeAt(prompt), ownNameOf(prompt))
    const opened: string[] = []
    const rest = yieldWhenBusy()
    // Done before the check, which may take seconds and keeps a whole list in memory.
    this.#forgetGone()
    this.#others = await this.#namesNow()
    if (!this.#options.strict) await this.#acceptFirst(batch.filter((tool) => isTool(tool) && this.#isNew(serverOf(tool))))
    for (const tool of batch) {
      const pause = rest()
      if (pause) await pause
      if (!(await this.#isAccepted(tool))) {
        this.#held.add(tool)
        // Another gateway may have accepted it during the check.
        const pin = await this.#options.store.get(serverOf(tool), tool.name)
        if (!pin || !isVersion(tool, pin)) continue
      }
      this.#release(tool)
      opened.push(tool.name)
    }
    for (const server of servers) this.#known.add(server)
    if (opened.length > 0) this.#options.onChange(opened)
  }

  /** True if neither this gateway nor another one with the same store has met the server. */
  #isNew(server: string): boolean {
    return !this.#known.has(server) && !this.#accepted.has(server)
  }

  async #isAccepted(tool: ReadyTool): Promise<boolean> {
    if (!this.#options.strict && !isTool(tool) && !(await this.#isMisleading(tool))) return true
    const [drift] = await this.#pin.check([tool], serverOf(tool))
    this.#held.forgetOlder(tool)
    return drift === undefined
  }

  /** The names of listed tools, and of accepted tools that may be missing at the moment. */
  async #namesNow(): Promise<readonly sanitizing.OtherTool[]> {
    const pins = await this.#options.store.list()
    const pinned = pins.map(({ server, tool }) => ({ server, name: nameOf(server, tool) }))
    return [...pinned, ...this.#options.listed().map(ownNameOf), ...this.#prompts.values()]
  }

  /**
   * Accepts the tools of new servers, all or none. A server of which some tools are accepted is not new, for this gateway after a restart
   * and for gateways with the same store, so its other tools would wait for a person.
   */
  async #acceptFirst(tools: readonly ReadyTool[]): Promise<void> {
    const { store } = this.#options
    const pins: (Pin & AcceptedDefinition)[] = []
    const rest = yieldWhenBusy()
    for (const tool of tools) {
      const pause = rest()
      if (pause) await pause
      const server = serverOf(tool)
      if ((await store.get(server, tool.name)) || (await this.#isMisleading(tool))) continue
      const definition = { ...(structuredClone(tool.listed) as object) }
      pins.push({ server, ...identityOf(tool), tool: tool.name, hash: definitionHash(tool), definition, at: Date.now() })
    }
    // Another gateway may have accepted tools of such a server meanwhile.
    if (pins.length > 0) await store.refresh()
    const first = pins.filter(({ server }) => this.#isNew(server))
    if (first.length === 0 || this.#isClosed) return
    await store.setAll(first)
    for (const pin of first) this.#noteServer(pin)
    this.#unreportedAccepted.push(...first.map(({ server, tool, hash }) => ({ server, tool, hash })))
  }

  /** True if the scan finds what few honest servers say, so that a person has to accept the definition. */
  async #isMisleading(tool: ReadyTool): Promise<boolean> {
    const { server, name } = ownNameOf(tool)
    const advice = await sanitizing.scanInTurns({ ...(tool.listed as object), name }, { server, others: this.#others })
    return advice.some(({ holds }) => holds)
  }

  #release(tool: ReadyTool): void {
    this.#held.delete(tool)
    this.#open.add(tool.listed)
  }

  /** Bounds the memory that a server can take by listing new names all the time. */
  #forgetGone(): void {
    const tools = new Set(this.#options.listed().map(({ name }) => name))
    const others = new Set(this.#options.listedDefinitions().map((one) => JSON.stringify([one.server, definitionName(one)])))
    for (const held of this.#held.all) {
      if (isTool(held) ? tools.has(held.name) : others.has(placeAt(held))) continue
      this.#held.delete(held)
      this.#forgotten.add(held)
      this.#pin.forget(serverOf(held), held.name)
    }
    for (const place of this.#prompts.keys()) if (!others.has(place)) this.#prompts.delete(place)
  }
}

const checkAgainMs = 1_000

/** Withheld tools, by server and name. */
class HeldTools {
  // There may be thousands of places, and nearly all of them have one tool.
  readonly #byPlace = new Map<string, readonly ReadyTool[]>()

  get isEmpty(): boolean {
    return this.#byPlace.size === 0
  }

  get all(): readonly ReadyTool[] {
    return [...this.#byPlace.values()].flat()
  }

  at(server: string, name: string): readonly ReadyTool[] {
    return this.#byPlace.get(JSON.stringify([server, name])) ?? []
  }

  add(tool: ReadyTool): void {
    const place = placeAt(tool)
    const tools = this.#byPlace.get(place)
    // A list that grows from nothing would take room for 17 tools.
    if (!tools) this.#byPlace.set(place, [tool])
    else if (!tools.includes(tool)) this.#byPlace.set(place, [...tools, tool])
  }

  delete(tool: ReadyTool): void {
    const place = placeAt(tool)
    const others = this.#byPlace.get(place)?.filter((other) => other !== tool) ?? []
    if (others.length > 0) this.#byPlace.set(place, others)
    else this.#byPlace.delete(place)
  }

  /** Deletes tools of this name with another definition or from another server. */
  forgetOlder(tool: ReadyTool): void {
    const now = versionOf(tool)
    for (const held of this.at(serverOf(tool), tool.name)) if (!isVersion(held, now)) this.delete(held)
  }
}

type Version = { readonly hash: string; readonly serverIdentity?: string }
/** The definition to accept, with the server's identity if it matters. */
type Accepting = Version & { readonly server: string; readonly tool: string }

const versionOf = (tool: ReadyTool): Version => ({ hash: definitionHash(tool), ...identityOf(tool) })
const isVersion = (tool: ReadyTool, { hash, serverIdentity }: Version): boolean =>
  definitionHash(tool) === hash && tool.definition.serverIdentity === serverIdentity
const placeOf = ({ tool, hash, serverIdentity }: Version & { readonly tool: string }): string =>
  `${hash} ${serverIdentity} ${tool}`

const placeAt = (tool: ReadyTool): string => JSON.stringify([serverOf(tool), tool.name])
const definitionName = ({ kind, name }: Pick<ListedDefinition, 'kind' | 'name'>): string => `${kind} ${name}`

const identityOf = ({ definition: { serverIdentity } }: ReadyTool) => (serverIdentity === undefined ? {} : { serverIdentity })
const isTool = ({ name }: ReadyTool): boolean => !name.includes(' ')

const serverOf = ({ definition }: ReadyTool): string => definition.server ?? ''

/** The tool's name without the server prefix that callers see, because texts use the server's own names. */
function nameOf(server: string | undefined, pinned: string): string {
  const tool = pinned.replace(/^(?:prompt|resource|template) /, '')
  const prefix = `${server ?? ''}__`
  return tool.startsWith(prefix) ? tool.slice(prefix.length) : tool
}

const ownNameOf = (tool: ReadyTool): sanitizing.OtherTool => ({ server: serverOf(tool), name: nameOf(serverOf(tool), tool.name) })
