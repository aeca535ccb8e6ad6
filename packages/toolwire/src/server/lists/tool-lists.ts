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

export class ToolLists {
  readonly #showingFor: ToolViewFor | undefined
  readonly #rules: ListRules
  readonly #plain: ListPages<ServedTool>
  #others = new WeakMap<ToolView, ListPages<ServedTool>>()

  constructor(showingFor: ToolViewFor | undefined, rules: ListRules) {
    this.#showingFor = showingFor
    this.#rules = rules
    this.#plain = new ListPages(
      listOf((tool) => tool.listed),
      rules,
    )
  }

  page(x: RequestContext, view: ListView<ServedTool>): EncodedResult | Promise<EncodedResult> {
    if (!this.#showingFor) return this.#plain.page(x, view)
    const showing = this.#showingFor(x.peerInfo.clientInfo)
    const lists = showing ? this.#listsFor(showing) : this.#plain
    // A copy for everybody would reach clients that have to be shown something else.
    return lists.page(x, { ...view, shared: () => false })
  }

  forget(): void {
    this.#plain.forget()
    this.#others = new WeakMap()
  }

  #listsFor(showing: ToolView): ListPages<ServedTool> {
    const lists = this.#others.get(showing) ?? new ListPages(listOf(listedBy(showing)), this.#rules)
    this.#others.set(showing, lists)
    return lists
  }
}

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
