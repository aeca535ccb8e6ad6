// Checks the names in the config and the rules whenever these or the catalogs of the upstreams change.
import type { ruleParts } from 'toolwire/relay'
import type { Rulebook, WrittenCall } from 'toolwire/rules'
import type { GatewayConfig, UpstreamConfig } from '../../config/gateway-config.js'
import { hintsOfOperator, overriddenClaims } from '../definitions/exposed-tool.js'
import { toolResolver } from '../names/named-tools.js'
import type { UpstreamCatalog } from '../upstream-catalog.js'
import type { ListedServer } from './known-tools.js'
import type { MissingName } from './missing-name.js'
import { missingNamesInTurns, withheldServers } from './missing-names.js'

type NameCheckOptions = {
  readonly config: () => GatewayConfig
  readonly rules: () => Rulebook | undefined
  /** Receives new or reworded problems, and problems at places that have none any more. */
  readonly onChange: (missing: readonly MissingName[], found: readonly MissingName[]) => void
}

export class NameCheck {
  readonly #options: NameCheckOptions
  #seen: readonly unknown[] = []
  #all: readonly UpstreamCatalog[] = []
  missingNames: readonly MissingName[] = []
  /** The reasons why tools of servers are withheld, by the server's id. */
  withheldServers: ReadonlyMap<string, string> = new Map()
  #looking: Promise<unknown> = Promise.resolve()

  constructor(options: NameCheckOptions) {
    this.#options = options
  }

  /** Runs checks one at a time; each uses the state at its start. */
  readonly heldBack = (all: readonly UpstreamCatalog[]): Promise<ReadonlyMap<string, string>> => {
    const looked = this.#looking.then(() => this.#look(all))
    this.#looking = looked.catch(() => undefined) // the caller gets the error
    return looked
  }

  async #look(all: readonly UpstreamCatalog[]): Promise<ReadonlyMap<string, string>> {
    this.#all = all
    const { upstreams, sets } = this.#options.config()
    const rules = this.#options.rules()
    const seen = [upstreams, sets, rules, ...all.flatMap((one) => [one.tools, one.isListed('tools'), one.upstream.config])]
    if (seen.length === this.#seen.length && seen.every((one, at) => one === this.#seen[at])) return this.withheldServers
    const missing = await missingNamesInTurns({ upstreams: this.#behind, sets, rules })
    this.#seen = seen
    const before = this.missingNames
    this.missingNames = missing
    this.withheldServers = withheldServers(missing)
    this.#reportChange(before, missing)
    return this.withheldServers
  }

  #reportChange(before: readonly MissingName[], missing: readonly MissingName[]): void {
    const [come, gone] = [without(missing, before), without(before, missing)]
    if (come.length + gone.length === 0) return
    const still = new Set(missing.map(({ where }) => where))
    this.#options.onChange(
      come,
      gone.filter(({ where }) => !still.has(where)),
    )
  }

  /** The names that would be missing under these rules. */
  missingBy(rules: Rulebook | undefined): Promise<readonly MissingName[]> {
    return missingNamesInTurns({ upstreams: this.#behind, sets: this.#options.config().sets, rules })
  }

  /** Finds the tools that a written call may refer to, by the lists of this moment. */
  get toolsFor(): ruleParts.ToolsFor {
    return toolResolver(this.#behind)
  }

  /** The tools that a written call may refer to, by the config alone, whether or not the servers can be reached. */
  readonly toolsByConfig = (call: WrittenCall): readonly ruleParts.NamedTool[] | string =>
    toolResolver(this.#options.config().upstreams.map((config) => ({ config, tools: undefined })))(call)

  get #behind(): readonly ListedServer[] {
    const known = new Map(this.#all.map((one) => [one.upstream.id, one]))
    return this.#options.config().upstreams.map((config) => ({ config, tools: listed(config, known.get(config.id)) }))
  }
}

function listed(config: UpstreamConfig, upstreamCatalog: UpstreamCatalog | undefined): ListedServer['tools'] {
  if (config.disabled || !upstreamCatalog?.isListed('tools')) return undefined
  return upstreamCatalog.tools.map(({ name, inputSchema, claims }) => {
    const said = Object.hasOwn(config.tools, name) ? config.tools[name]?.hints : {}
    return { name, inputSchema, hints: hintsOfOperator(claims, said, config.trusted), claims: overriddenClaims(claims, said) }
  })
}

const without = (some: readonly MissingName[], others: readonly MissingName[]): readonly MissingName[] => {
  const known = new Set(others.map(({ message }) => message))
  return some.filter(({ message }) => !known.has(message))
}
