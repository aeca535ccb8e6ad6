import type { JsonObject } from 'toolwire'
import { type ListedTool, schemas, type types } from 'toolwire/relay'
import type { ClientsConfig } from '../../config/gateway-config.js'
import { type SchemaProblem, schemaProblems, schemaProblemsOf } from './known-clients.js'
import { repairTool } from './repair-schema.js'

/** Longer client names are cut. */
const longestName = 256
/** When this limit is reached, notes may be repeated, because the tools change over time. */
const maxNotes = 10_000

/** Rewrites schemas for clients that misread them. `onNote` receives each tool that cannot be shown to some clients, and the reason. */
export function clientViews(clients: () => ClientsConfig, onNote: (text: string) => void): types.ToolViewFor {
  const made = new Map<readonly SchemaProblem[], types.ToolView>()
  const notes = new Set<string>()

  /** A view in which each tool is repaired once. */
  function createView(troubles: readonly SchemaProblem[]): types.ToolView {
    const known = new WeakMap<ListedTool, ListedTool | undefined>()
    return ({ listed, name }) => {
      if (!known.has(listed)) known.set(listed, repair(name, listed, troubles))
      return known.get(listed)
    }
  }

  function repair(name: string, listed: ListedTool, troubles: readonly SchemaProblem[]): ListedTool | undefined {
    try {
      return repairTool(listed, troubles)
    } catch (thrown) {
      if (!(thrown instanceof schemas.NotPortable)) throw thrown
      const kind = troubles.map((trouble) => schemaProblems[trouble]).join(', ')
      noteOnce(
        `${name} is not listed for clients that cannot read ${kind}, because its schema cannot be rewritten: ${thrown.message}`,
      )
      return undefined
    }
  }

  function noteOnce(text: string): void {
    if (notes.has(text)) return
    if (notes.size >= maxNotes) notes.clear()
    notes.add(text)
    onNote(text)
  }

  return (clientInfo) => {
    const troubles = schemaProblemsOf(nameIn(clientInfo), clients())
    if (troubles.length === 0) return undefined
    const view = made.get(troubles) ?? createView(troubles)
    made.set(troubles, view)
    return view
  }
}

const nameIn = (clientInfo: JsonObject | undefined): string =>
  typeof clientInfo?.name === 'string' ? clientInfo.name.slice(0, longestName) : ''
