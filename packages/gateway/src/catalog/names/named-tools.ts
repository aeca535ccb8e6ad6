// The tools that a written call may refer to, by the config and by the lists of the upstreams, as far as they are known.
import type { Hints } from 'toolwire'
import type { ruleParts } from 'toolwire/relay'
import type { WrittenCall } from 'toolwire/rules'
import { didYouMean, misspelledName } from '../../config/did-you-mean.js'
import type { UpstreamConfig } from '../../config/gateway-config.js'
import { withoutUndefined } from '../../json/without-undefined.js'
import { exposedName } from './exposed-name.js'

export type UpstreamTool = {
  readonly name: string
  readonly hints?: Hints | undefined
  /** The server's claims, trusted or not. */
  readonly claims?: Hints | undefined
}

/** The settings of an upstream that decide the names of its tools. */
type ToolNaming = Pick<UpstreamConfig, 'id' | 'prefix' | 'tools'>

export type KnownUpstream = { readonly config: ToolNaming; readonly tools: readonly UpstreamTool[] | undefined }

export function exposedToolName({ prefix, tools }: ToolNaming, own: string): string {
  const said = Object.hasOwn(tools, own) ? tools[own] : undefined
  return exposedName(prefix, said?.rename ?? own)
}

type Upstreams = readonly KnownUpstream[] | undefined
type ResolvedTools = ReturnType<ruleParts.ToolsFor>

/** Resolves calls to tools. Without upstreams, tools are assumed to have their default names. */
export function toolResolver(known: Upstreams): ruleParts.ToolsFor {
  const upstreams = known?.map(searchable)
  return (call) => {
    if (call.ownName !== undefined)
      return [
        withFixedOf(
          upstreams?.find(({ config }) => config.id === call.server),
          call,
        ),
      ]
    return call.server === undefined ? byShownName(call, upstreams) : onServer(call, call.server, upstreams)
  }
}

type SearchableUpstream = KnownUpstream & {
  /** The own names of the known tools, by their names for callers. */
  readonly ownNames: () => ReadonlyMap<string, readonly string[]>
}
type SearchableUpstreams = readonly SearchableUpstream[] | undefined

/** Names are computed once, because an upstream may have thousands and many calls may be looked up. */
function searchable(upstream: KnownUpstream): SearchableUpstream {
  let ownNames: Map<string, string[]> | undefined
  return {
    ...upstream,
    ownNames() {
      if (ownNames) return ownNames
      ownNames = new Map()
      for (const own of knownNames(upstream)) {
        const exposed = exposedToolName(upstream.config, own)
        const same = ownNames.get(exposed)
        if (same) same.push(own)
        else ownNames.set(exposed, [own])
      }
      return ownNames
    },
  }
}

const knownNames = ({ config, tools }: KnownUpstream): readonly string[] =>
  tools?.map(({ name }) => name) ?? Object.keys(config.tools)

function byShownName(call: WrittenCall, upstreams: SearchableUpstreams): ResolvedTools {
  const found = (upstreams ?? defaultUpstreamsFor(call.tool)).flatMap((one) => toolsShownAs(one, call.tool))
  if (found.length > 0) return found
  const known = upstreams?.every(({ tools }) => tools) && upstreams.flatMap(exposedNames)
  if (known) return `there is no tool ${JSON.stringify(call.tool)}${didYouMean(call.tool, known)}`
  return [{ tool: call.tool }]
}

function onServer(call: WrittenCall, server: string, upstreams: SearchableUpstreams): ResolvedTools {
  const ids = upstreams?.map(({ config }) => config.id) ?? []
  // Rules may be shared with another gateway that has the server.
  const isElsewhere = !upstreams?.some(({ tools }) => tools) && misspelledName(server, ids) === undefined
  const upstream = upstreams?.find(({ config }) => config.id === server) ?? (isElsewhere ? defaultUpstream(server) : undefined)
  if (!upstream) return `there is no server ${JSON.stringify(server)}${didYouMean(server, ids)}`
  const found = onUpstream(upstream, call.tool)
  if (found.length > 0) return found
  const names = [...(upstream.tools ?? []).map(({ name }) => name), ...exposedNames(upstream)]
  return `the server ${server} has no tool ${JSON.stringify(call.tool)}${didYouMean(call.tool, names)}`
}

function onUpstream(upstream: SearchableUpstream, name: string): readonly ruleParts.NamedTool[] {
  const shown = toolsShownAs(upstream, name)
  const { config, tools } = upstream
  const isOwn = tools ? tools.some((tool) => tool.name === name) : shown.length === 0 || Object.hasOwn(config.tools, name)
  const own = isOwn && !shown.some(({ ownName }) => ownName === name) ? [namedTool(upstream, name)] : []
  return [...own, ...shown]
}

function toolsShownAs(upstream: SearchableUpstream, name: string): readonly ruleParts.NamedTool[] {
  const { config, tools } = upstream
  const own = upstream.ownNames().get(name) ?? []
  return (own.length > 0 || tools ? own : unlistedNamesIn(config, name)).map((one) => namedTool(upstream, one))
}

/** The part after the prefix may be a tool that is not listed yet. */
function unlistedNamesIn(config: ToolNaming, name: string): readonly string[] {
  const start = config.prefix === false ? '' : `${config.prefix}__`
  const rest = name.slice(start.length)
  return rest !== '' && name.startsWith(start) && exposedToolName(config, rest) === name ? [rest] : []
}

function namedTool(upstream: KnownUpstream, ownName: string): ruleParts.NamedTool {
  const { config, tools } = upstream
  return namedAs(config, tools?.find(({ name }) => name === ownName) ?? { name: ownName }, new Set(knownNames(upstream)))
}

/** The tools that an upstream lists, in the form that rules use. One at a time, so that the caller can yield between them. */
export function* namedTools({ config, tools = [] }: KnownUpstream): Generator<ruleParts.NamedTool> {
  const names = new Set(tools.map(({ name }) => name))
  for (const tool of tools) yield namedAs(config, tool, names)
}

function namedAs(config: ToolNaming, { name, hints, claims }: UpstreamTool, others: ReadonlySet<string>): ruleParts.NamedTool {
  const tool = exposedToolName(config, name)
  const shadowed = isShadowed(name, tool, others) || undefined
  return withFixedOf({ config }, withoutUndefined({ server: config.id, tool, ownName: name, shadowed, hints, claims }))
}

/** Adds the arguments that the config pins, because rules judge them in each call. */
function withFixedOf(upstream: Pick<KnownUpstream, 'config'> | undefined, tool: ruleParts.NamedTool): ruleParts.NamedTool {
  const { ownName = '' } = tool
  const tools = upstream?.config.tools ?? {}
  const fixed = Object.hasOwn(tools, ownName) ? tools[ownName]?.arguments : undefined
  return fixed ? { ...tool, arguments: fixed } : tool
}

/** Is the name for callers another tool's own name? */
export const isShadowed = (own: string, exposed: string, others: ReadonlySet<string>): boolean =>
  own !== exposed && others.has(exposed)

const exposedNames = ({ tools, ownNames }: SearchableUpstream): readonly string[] => (tools ? [...ownNames().keys()] : [])

const defaultUpstream = (id: string) => searchable({ config: { id, prefix: id, tools: {} }, tools: undefined })

/** The first `__` separates the server, because no server name contains two underscores in a row. */
function defaultUpstreamsFor(name: string): readonly SearchableUpstream[] {
  const at = name.indexOf('__')
  return at > 0 ? [defaultUpstream(name.slice(0, at))] : []
}
