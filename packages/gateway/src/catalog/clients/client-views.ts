import type { JsonObject } from 'toolwire'
import { type ListedTool, schemas, type types } from 'toolwire/relay'
import type { ClientsConfig } from '../../config/gateway-config.js'
import { type SchemaProblem, schemaProblems, schemaProblemsOf } from './known-clients.js'
import { repairTool } from './repair-schema.js'

/** Longer client names are cut. */
const longestName = 256
/** When this limit is reached, notes may be repeated, because the tools change over time. */
const mostTold = 10_000

/** Rewrites schemas for clients that misread them. `onNote` receives each tool that cannot be shown to some clients, and the reason. */
export function clientViews(clients: () => ClientsConfig, onNote: (text: string) => void): types.ToolViewFor {
  const made = new Map<readonly SchemaProblem[], types.ToolView>()
  const told = new Set<string>()

  /** A view in which each tool is repaired once. */
  function showing(troubles: readonly SchemaProblem[]): types.ToolView {
    const known = new WeakMap<ListedTool, ListedTool | undefined>()
    return ({ listed, name }) => {
      if (!known.has(listed)) known.set(listed, repaired(name, listed, troubles))
      return known.get(listed)
    }
  }

  function repaired(name: string, listed: ListedTool, troubles: readonly SchemaProblem[]): ListedTool | undefined {
    try {
      return repairTool(listed, troubles)
    } catch (thrown) {
      if (!(thrown instanceof schemas.NotPortable)) throw thrown
      const kind = troubles.map((trouble) => schemaProblems[trouble]).join(', ')
      tell(
        `${name} is not listed for clients that cannot read ${kind}, because its schema cannot be rewritten: ${thrown.message}`,
      )
      return undefined
    }
  }

  function tell(text: string): void {
    if (told.has(text)) return
    if (told.size >= mostTold) told.clear()
    told.add(text)
    onNote(text)
  }

  return (clientInfo) => {
    const troubles = schemaProblemsOf(nameIn(clientInfo), clients())
    if (troubles.length === 0) return undefined
    const view = made.get(troubles) ?? showing(troubles)
    made.set(troubles, view)
    return view
  }
}

const nameIn = (clientInfo: JsonObject | undefined): string =>
  typeof clientInfo?.name === 'string' ? clientInfo.name.slice(0, longestName) : ''
