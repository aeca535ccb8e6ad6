import type { JsonObject } from 'toolwire'
import { type ListedTool, schemas, type types } from 'toolwire/relay'
import type { ClientsConfig } from '../../config/gateway-config.js'
import { type SchemaProblem, schemaProblems, schemaProblemsOf } from './known-clients.js'
import { repairTool } from './repair-schema.js'

type ClientViewsOptions = {
  /** What the operator says of clients, as it is now. */
  readonly clients: () => ClientsConfig
  /** Hears which tools some clients are not shown, and why. */
  readonly onNote: (text: string) => void
}

/** Nobody is called by a longer name. */
const longestName = 256
/** Tools come and go; what was told so long ago may be told again. */
const mostTold = 10_000

/** Shows tools with schemas that a client can read, to clients that are known to need it. */
export class ClientViews {
  readonly #options: ClientViewsOptions
  readonly #made = new Map<readonly SchemaProblem[], types.ToolView>()
  readonly #told = new Set<string>()

  constructor(options: ClientViewsOptions) {
    this.#options = options
  }

  readonly toolViewFor: types.ToolViewFor = (clientInfo) => {
    const troubles = schemaProblemsOf(nameIn(clientInfo), this.#options.clients())
    if (troubles.length === 0) return undefined
    const showing = this.#made.get(troubles) ?? this.#showing(troubles)
    this.#made.set(troubles, showing)
    return showing
  }

  /** Each tool is repaired once. */
  #showing(troubles: readonly SchemaProblem[]): types.ToolView {
    const known = new WeakMap<ListedTool, ListedTool | undefined>()
    return ({ listed, name }) => {
      if (!known.has(listed)) known.set(listed, this.#repaired(name, listed, troubles))
      return known.get(listed)
    }
  }

  #repaired(name: string, listed: ListedTool, troubles: readonly SchemaProblem[]): ListedTool | undefined {
    try {
      return repairTool(listed, troubles)
    } catch (thrown) {
      if (!(thrown instanceof schemas.NotPortable)) throw thrown
      const kind = troubles.map((trouble) => schemaProblems[trouble]).join(', ')
      this.#tell(`${name} is not listed for clients that choke on ${kind}, since it cannot be said without: ${thrown.message}`)
      return undefined
    }
  }

  #tell(text: string): void {
    if (this.#told.has(text)) return
    if (this.#told.size >= mostTold) this.#told.clear()
    this.#told.add(text)
    this.#options.onNote(text)
  }
}

const nameIn = (clientInfo: JsonObject | undefined): string =>
  typeof clientInfo?.name === 'string' ? clientInfo.name.slice(0, longestName) : ''
