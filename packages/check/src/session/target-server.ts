// One server in one revision: its conversations, its tools, and the calls that several rows look at.
import type { JsonObject } from 'toolwire'
import { effectiveHints } from 'toolwire/guard'
import { sanitizing } from 'toolwire/relay'
import type { CheckOptions, CheckTarget } from '../check-options.js'
import { type Connection, UnreachableError } from '../connection/connection.js'
import { HttpConnection } from '../connection/http.js'
import { startStdio } from '../connection/stdio.js'
import { isObject, objectsIn } from '../json.js'
import type { Revision } from '../revisions.js'
import { sampleArguments } from '../sample-arguments.js'
import { openSession } from './open-session.js'
import { type RequestOutcome, resultOf, Session, SessionState } from './session.js'
import type { Transcript } from './transcript.js'

/** A call that went as the tool asks for it. */
export type SampleCall = {
  readonly tool: JsonObject
  readonly args: JsonObject
  readonly token: string
  readonly answered: RequestOutcome
}

const maxSamples = 25
const sampleConcurrency = 5
/** Ids of requests differ between conversations: not every server keeps them apart by their connection. */
const idsPerSession = 1_000

/** Some are installed first. */
const defaultStartMs = 20_000

/** What the revisions of one server have in common. */
export class SharedState {
  /** Names that claim to read only, in any revision: the first ones have no word for it. */
  readonly readers = new Set<string>()
  #talks = 0

  nextFirstId(): number {
    return ++this.#talks * idsPerSession
  }
}

export class TargetServer {
  readonly target: CheckTarget
  readonly revision: Revision
  readonly options: CheckOptions
  readonly ms: number
  readonly common: SharedState
  readonly wires: Connection[] = []
  readonly #asides: Connection[] = []
  readonly #startMs: number
  readonly #mains = new Map<number, Session>()
  #openedIn = 0
  #pages: ToolsPage[] | undefined
  #samples: Promise<SampleCall[]> | undefined

  constructor({ target, revision, options, common }: Pick<TargetServer, 'target' | 'revision' | 'options' | 'common'>) {
    this.target = target
    this.revision = revision
    this.options = options
    this.ms = options.timeoutMs ?? 5_000
    this.#startMs = options.startMs ?? Math.max(this.ms, defaultStartMs)
    this.common = common
  }

  /** The conversation that most rows of a lane share; a new one when it has broken. */
  async newSession(transcript: Transcript, lane = 0): Promise<Session> {
    const main = this.#mains.get(lane)
    if (main?.wire.alive) return main.with(transcript)
    const fresh = await this.newConnection(transcript)
    this.#mains.set(lane, fresh)
    return fresh.with(transcript)
  }

  /** The next row of the lane gets a conversation of its own: this one may be in any state. */
  abandon(lane: number): void {
    this.#mains.delete(lane)
  }

  /** A conversation nobody else uses. */
  async newConnection(transcript: Transcript): Promise<Session> {
    const started = Date.now()
    const session = await this.unopened(transcript)
    const opened = await openSession(session, this.#startMs)
    this.#openedIn = Math.max(this.#openedIn, Date.now() - started)
    if (opened) return session
    throw new UnreachableError(`The server does not speak ${this.revision.version}`)
  }

  /** How long the first words of a conversation may take, seeing how long others took. */
  get firstMs(): number {
    return Math.min(this.#startMs, this.ms + 2 * this.#openedIn)
  }

  /** What is said aside does not count among what the server says in this revision. */
  async unopened(transcript: Transcript, { aside = false } = {}): Promise<Session> {
    const wire = await this.#wire()
    ;(aside ? this.#asides : this.wires).push(wire)
    const state = new SessionState(this.common.nextFirstId())
    const session = new Session({ wire, revision: this.revision, ms: this.ms, state, transcript })
    wire.onRequest = (request) => void session.answer(request)
    return session
  }

  async pages(transcript: Transcript): Promise<readonly ToolsPage[]> {
    this.#pages ??= await listPages(await this.newSession(transcript))
    return this.#pages
  }

  async tools(transcript: Transcript): Promise<readonly JsonObject[]> {
    const tools = (await this.pages(transcript)).flatMap((page) => page.tools)
    for (const { name, annotations } of tools)
      if (typeof name === 'string' && effectiveHints(sanitizing.claimsOf(annotations)).readOnly) this.common.readers.add(name)
    return tools
  }

  /** Each tool that may be called, called once. */
  samples(transcript: Transcript, lane: number): Promise<SampleCall[]> {
    this.#samples ??= this.#call(transcript, lane)
    return this.#samples
  }

  /** The arguments with which a tool may be called here; undefined when it may not. */
  argumentsFor(tool: JsonObject): JsonObject | undefined {
    if (isObject(tool.execution) && tool.execution.taskSupport === 'required') return undefined
    const given = this.options.tools?.[String(tool.name)]
    return given ?? (this.mayBend(tool) ? sampleArguments(tool.inputSchema) : undefined)
  }

  /** Named tools are called only with the operator's arguments. */
  mayBend({ name }: JsonObject): boolean {
    return this.options.allowCalls === true || this.common.readers.has(String(name))
  }

  async close(): Promise<void> {
    await Promise.all([...this.wires, ...this.#asides].map((wire) => wire.close()))
  }

  /** Some take their time, so that several are under way at once. */
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
        samples[at] = await this.#sample(await this.newSession(transcript, lane), { tool, args, at })
    }
    await this.newSession(transcript, lane)
    await Promise.all(Array.from({ length: sampleConcurrency }, work))
    return samples
  }

  async #sample(session: Session, { tool, args, at }: Pick<SampleCall, 'tool' | 'args'> & { at: number }): Promise<SampleCall> {
    const token = `check-${this.revision.version}-${at}`
    const params = { name: String(tool.name), arguments: args }
    const answered = await session.ask('tools/call', params, { meta: { progressToken: token }, schema: tool.inputSchema })
    return { tool, args, token, answered }
  }

  async #wire(): Promise<Connection> {
    if (!('url' in this.target)) return startStdio(this.target)
    if (!URL.canParse(this.target.url)) throw new UnreachableError(`${this.target.url} is no URL`)
    return new HttpConnection(new URL(this.target.url), this.target.headers ?? {})
  }
}

/** One page of the list of tools. */
type ToolsPage = { readonly result: JsonObject; readonly tools: readonly JsonObject[] }

const maxPages = 200

/** Follows the cursors from the first page to the last. */
async function listPages(session: Session): Promise<ToolsPage[]> {
  const pages: ToolsPage[] = []
  let cursor: string | undefined
  do {
    const { response } = await session.ask('tools/list', cursor === undefined ? {} : { cursor })
    const result = resultOf(response)
    if (!result) break
    pages.push({ result, tools: objectsIn(result.tools) })
    // Before the newest revision an empty cursor ended the list for many.
    cursor = typeof result.nextCursor === 'string' && result.nextCursor !== '' ? result.nextCursor : undefined
  } while (cursor !== undefined && pages.length < maxPages)
  return pages
}
