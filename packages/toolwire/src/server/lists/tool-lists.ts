// tools/list: the pages of those who see the tools as they are, and others for clients that are shown them in another way.
import type { JsonObject } from '../../json.js'
import { encodeTool, needsWrapping } from '../../revisions/encode/encode-tool.js'
import type { ListedTool, ReadyTool } from '../../tools/tool.js'
import type { ServedTool } from '../calls/served-tool.js'
import type { RequestContext } from '../request-context.js'
import { type EncodedResult, type ListKind, ListPages, type ListRules, type ListView } from './list-pages.js'

/** How a tool is shown in a list; undefined where it is left out. */
export type ToolView = (tool: ReadyTool) => ListedTool | undefined
/** The way for a client that calls itself so; undefined for as they are. Lists are kept by the function: those who see the same get the same one. */
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
      // A copy for everybody would reach clients that have to be shown something else.
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
    return listed && encodeTool(listed, revision, tool.definition.longRunning)
  },
})

/** Its name is what it is called by, and its results come in or without the object that all clients were promised. */
const listedBy = (showing: ToolView) => (tool: ServedTool) => {
  const listed = showing(tool)
  if (!listed) return undefined
  const { outputSchema, ...rest } = { ...listed, name: tool.name }
  return outputSchema !== undefined && needsWrapping(outputSchema) === tool.wrapped ? { ...rest, outputSchema } : rest
}
