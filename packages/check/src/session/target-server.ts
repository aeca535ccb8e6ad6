// One server in one revision: its sessions, its tools, and the sample calls that several checks read.
import type { JsonObject } from 'toolwire'
import { effectiveHints } from 'toolwire/guard'
import { sanitizing } from 'toolwire/relay'
import type { CheckOptions, CheckTarget } from '../check-options.js'
import { type Connection, UnreachableError } from '../connection/connection.js'
import { HttpConnection } from '../connection/http.js'
import { startStdio } from '../connection/stdio.js'
import { isObject, objectsIn, textOf } from '../json.js'
import type { Revision } from '../revisions.js'
import { sampleArguments } from '../sample-arguments.js'
import { type MessageRule, Observations } from './observations.js'
import { openSession } from './open-session.js'
import { ProgressLog } from './progress-log.js'
import { type RequestOutcome, resultOf, Session, SessionState } from './session.js'
import { TextBudget } from './text-budget.js'
import { excerptOf, type Transcript } from './transcript.js'

/** A call with arguments that the tool's schema accepts. */
export type SampleCall = {
  readonly tool: JsonObject
  readonly args: JsonObject
  readonly token: string
  readonly answered: RequestOutcome
}

const maxSamples = 25
const maxStrays = 20
/** Requests of the server that are answered on one connection. */
const maxAnswered = 100
const sampleConcurrency = 5
/** Each session has its own range of ids, because not every server separates ids by connection. */
const idsPerSession = 1_000

/** Some servers are installed before they start. */
const defaultStartMs = 20_000

/** State shared by all revisions of one server. */
export class SharedState {
  /** Tools that claim to be read-only in some revision: the first revision has no annotations. */
  readonly readOnlyTools = new Set<string>()
  readonly toolNames = new Set<string>()
  readonly budget = new TextBudget()
  readonly rules: readonly MessageRule[]
  #sessionCount = 0

  constructor(rules: readonly MessageRule[] = []) {
    this.rules = rules
  }

  nextFirstId(): number {
    return ++this.#sessionCount * idsPerSession
  }
}

export class TargetServer {
  readonly target: CheckTarget
  readonly revision: Revision
  readonly options: CheckOptions
  readonly ms: number
  readonly common: SharedState
  readonly observations: Observations
  readonly progress = new ProgressLog()
  /** The first lines on stdio that are no messages. */
  readonly strays: string[] = []
  /** The method that checks request where any result will do; chosen by the first list of the tools. */
  probe = 'tools/list'
  hasTools = true
  /** The server's first answer about itself. */
  opening: JsonObject | undefined
  readonly #wires: Connection[] = []
  readonly #startMs: number
  readonly #mains = new Map<number, Session>()
  #openedIn = 0
  #pages: ToolsPage[] | undefined
  #samples: Promise<SampleCall[]> | undefined
  #isClosed = false

  constructor({ target, revision, options, common }: Pick<TargetServer, 'target' | 'revision' | 'options' | 'common'>) {
    this.target = target
    this.revision = revision
    this.options = options
    this.ms = options.timeoutMs ?? 5_000
    this.#startMs = options.startMs ?? Math.max(this.ms, defaultStartMs)
    this.common = common
    this.observations = new Observations(common.rules)
  }

  /** The session that the checks of a lane share; a new one if its connection is gone. */
  async sharedSession(transcript: Transcript, lane = 0): Promise<Session> {
    const main = this.#mains.get(lane)
    if (main?.wire.alive) return main.with(transcript)
    const fresh = await this.newSession(transcript)
    this.#mains.set(lane, fresh)
    return fresh.with(transcript)
  }

  /** Gives the next check of the lane a new session, because this one may be in any state. */
  abandon(lane: number): void {
    this.#mains.delete(lane)
  }

  /** A new session that is not shared. */
  async newSession(transcript: Transcript): Promise<Session> {
    const started = performance.now()
    const session = await this.unopenedSession(transcript)
    const opened = await session.keeping(() => openSession(session, this.#startMs))
    this.#openedIn = Math.max(this.#openedIn, performance.now() - started)
    if (opened) return session
    throw new UnreachableError(`The server does not speak ${this.revision.version}`)
  }

  /** The timeout of the first response in a session, by how long other sessions took to open. */
  get firstMs(): number {
    return Math.min(this.#startMs, this.ms + 2 * this.#openedIn)
  }

  /** A session that is not opened. Messages of an `aside` connection do not count as received in this revision. */
  async unopenedSession(transcript: Transcript, { aside = false } = {}): Promise<Session> {
    const wire = await this.#wire()
    this.#wires.push(wire)
    if (this.#isClosed) await wire.close()
    const state = new SessionState(this.common.nextFirstId())
    const session = new Session({ wire, revision: this.revision, ms: this.ms, state, server: this, transcript })
    if (!aside) this.#observe(wire)
    let answered = 0
    wire.listeners.add((message) => {
      if ('id' in message && typeof message.method === 'string' && answered++ < maxAnswered) void session.answer(message)
    })
    return session
  }

  #observe(wire: Connection): void {
    wire.listeners.add((message) => {
      this.observations.note(message)
      this.progress.note(message)
    })
    wire.onStray = (text) => {
      if (this.strays.length < maxStrays) this.strays.push(excerptOf(text))
    }
  }

  async pages(transcript: Transcript): Promise<readonly ToolsPage[]> {
    if (this.#pages) return this.#pages
    const session = await this.sharedSession(transcript)
    const pages = await session.keeping(() => listPages(session))
    this.opening = session.state.opening
    const capabilities = isObject(this.opening?.capabilities) ? this.opening.capabilities : {}
    this.probe = pages.length > 0 ? 'tools/list' : probeFor(this.revision, capabilities)
    this.hasTools = capabilities.tools !== undefined || pages.some(({ tools }) => tools.length > 0)
    this.#pages = pages
    return pages
  }

  async tools(transcript: Transcript): Promise<readonly JsonObject[]> {
    const tools = (await this.pages(transcript)).flatMap((page) => page.tools)
    for (const { name, annotations } of tools) {
      if (typeof name !== 'string') continue
      this.common.toolNames.add(name)
      if (effectiveHints(sanitizing.claimsOf(annotations)).readOnly) this.common.readOnlyTools.add(name)
    }
    return tools
  }

  /** One call of each tool that may be called. */
  samples(transcript: Transcript, lane: number): Promise<SampleCall[]> {
    this.#samples ??= transcript.keeping(() => this.#call(transcript, lane))
    return this.#samples
  }

  /** Arguments for a call of the tool; undefined if it must not be called. */
  argumentsFor(tool: JsonObject): JsonObject | undefined {
    if (isObject(tool.execution) && tool.execution.taskSupport === 'required') return undefined
    const { tools = {} } = this.options
    const name = textOf(tool.name)
    const given = Object.hasOwn(tools, name) ? tools[name] : undefined
    return given ?? (this.isFreelyCallable(tool) ? sampleArguments(tool.inputSchema) : undefined)
  }

  /** May the tool be called with any arguments? A tool named by the operator gets the operator's arguments only. */
  isFreelyCallable({ name }: JsonObject): boolean {
    return this.options.allowCalls === true || this.common.readOnlyTools.has(textOf(name))
  }

  /** Ends all connections, and those that are being made. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#wires.map((wire) => wire.close()))
  }

  /** Calls several tools at once, because some are slow. */
  async #call(transcript: Transcript, lane: number): Promise<SampleCall[]> {
    const { slow } = this.options
    const callable = (await this.tools(transcript)).flatMap((tool) => {
      const args = tool.name === slow?.name ? undefined : this.argumentsFor(tool)
      return args ? [{ tool, args }] : []
    })
    const queue = callable.slice(0, maxSamples).entries()
    const samples: SampleCall[] = []
    const work = async () => {
      for (const [at, { tool, args }] of queue)
        samples[at] = await this.#sample(await this.sharedSession(transcript, lane), { tool, args, at })
    }
    await this.sharedSession(transcript, lane)
    await Promise.all(Array.from({ length: sampleConcurrency }, work))
    return samples
  }

  async #sample(session: Session, { tool, args, at }: Pick<SampleCall, 'tool' | 'args'> & { at: number }): Promise<SampleCall> {
    const token = `check-${this.revision.version}-${at}`
    const params = { name: textOf(tool.name), arguments: args }
    const id = session.nextId()
    this.progress.expect(id, token)
    const answered = await session.ask('tools/call', params, { id, meta: { progressToken: token }, schema: tool.inputSchema })
    return { tool, args, token, answered }
  }

  async #wire(): Promise<Connection> {
    if (this.#isClosed) throw new UnreachableError('The check has ended')
    if (!('url' in this.target)) return startStdio(this.target)
    if (!URL.canParse(this.target.url)) throw new UnreachableError(`${this.target.url} is not a URL`)
    return new HttpConnection(new URL(this.target.url), this.target.headers ?? {})
  }
}

type ToolsPage = { readonly result: JsonObject; readonly tools: readonly JsonObject[] }

/** The request of a declared capability, or else the one that every server of the revision answers. */
function probeFor({ handshake }: Revision, capabilities: JsonObject): string {
  const listed = ['tools', 'prompts', 'resources'].find((name) => capabilities[name] !== undefined)
  if (listed !== undefined) return `${listed}/list`
  return handshake ? 'ping' : 'server/discover'
}

const maxPages = 200

async function listPages(session: Session): Promise<ToolsPage[]> {
  const pages: ToolsPage[] = []
  let cursor: string | undefined
  do {
    const { response } = await session.ask('tools/list', cursor === undefined ? {} : { cursor })
    const result = resultOf(response)
    if (!result) break
    pages.push({ result, tools: objectsIn(result.tools) })
    // In earlier revisions, many servers end the list with an empty cursor.
    cursor = typeof result.nextCursor === 'string' && result.nextCursor !== '' ? result.nextCursor : undefined
  } while (cursor !== undefined && pages.length < maxPages)
  return pages
}
