// tools/list: pages of the tools as they are, and of other views for particular clients.
import type { JsonObject } from '../../json.js'
import { encodeTool, needsWrapping } from '../../revisions/encode/encode-tool.js'
import { withSafeIcons } from '../../tools/checks/safe-icons.js'
import type { ListedTool, ReadyTool } from '../../tools/tool.js'
import type { ServedTool } from '../calls/served-tool.js'
import type { RequestContext } from '../request-context.js'
import { type EncodedResult, type ListKind, ListPages, type ListRules, type ListView } from './list-pages.js'

/** Changes the listing of a tool; undefined leaves it out. */
export type ToolView = (tool: ReadyTool) => ListedTool | undefined
/**
 * The view for a client with this `clientInfo`; undefined for none. Lists are cached by function, so clients with the same view share one.
 */
export type ToolViewFor = (clientInfo: JsonObject | undefined) => ToolView | undefined

export function toolLists(showingFor: ToolViewFor | undefined, rules: ListRules) {
  const plain = new ListPages(listOf(asListed), rules)
  let others = new WeakMap<ToolView, ListPages<ServedTool>>()
  const listsFor = (showing: ToolView) => {
    const lists = others.get(showing) ?? new ListPages(listOf(listedBy(showing)), rules)
    others.set(showing, lists)
    return lists
  }
  return {
    page(x: RequestContext, view: ListView<ServedTool>): EncodedResult | Promise<EncodedResult> {
      if (!showingFor) return plain.page(x, view)
      const showing = showingFor(x.peerInfo.clientInfo)
      // A shared copy would reach clients with another view.
      return (showing ? listsFor(showing) : plain).page(x, { ...view, shared: () => false })
    },
    forget(): void {
      plain.forget()
      others = new WeakMap()
    },
  }
}

const asListed = ({ listed }: ServedTool) => listed

const listOf = (show: (tool: ServedTool) => ListedTool | undefined): ListKind<ServedTool> => ({
  method: 'tools/list',
  member: 'tools',
  encode: (tool, revision) => {
    const listed = show(tool)
    // Pins and hashes are about the definition as its server lists it, so only the encoded copy is changed.
    return listed && withSafeIcons(encodeTool(listed, revision, tool.definition.longRunning))
  },
})

/** Keeps the tool's name, and drops an output schema that would change whether results are wrapped. */
const listedBy = (showing: ToolView) => (tool: ServedTool) => {
  const listed = showing(tool)
  if (!listed) return undefined
  const { outputSchema, ...rest } = { ...listed, name: tool.name }
  return outputSchema !== undefined && needsWrapping(outputSchema) === tool.wrapped ? { ...rest, outputSchema } : rest
}
