// The data of the view: tools with their pending definitions, searched, filtered and grouped.

import type { Drift, JsonObject, Pins, ScanFinding, Server, Servers, Tool, ToolsAnswer } from '../api/types.js'
import { matchesWords } from '../parts/table/ListHeader.js'

/** A tool, and its current definition if that is not the accepted one. */
export type ExposedTool = {
  readonly tool: Tool
  readonly drift?: Drift
  /** The definition as the server sent it, if it was kept. */
  readonly definition?: JsonObject
  /** The definition was refused: it stays hidden, and is no longer pending. */
  readonly refused: boolean
}

export type Exposure = {
  readonly tools: readonly ExposedTool[]
  readonly servers: readonly Server[]
  readonly withheld: Servers['withheld']
  readonly waiting: readonly HeldOfServer[]
}

/** The pending definitions of one server, with the scan findings about them. */
export type HeldOfServer = {
  readonly server: string
  readonly drifts: readonly Drift[]
  readonly findings: readonly ScanFinding[]
}

type Parts = ToolsAnswer & Servers & { readonly pins: Pins }

export function exposureOf({ tools, servers, withheld, pins }: Parts): Exposure {
  const refused = new Map(pins.refused.map((drift) => [placeOf(drift), drift]))
  const waiting = new Map(pins.waiting.map((drift) => [placeOf(drift), drift]))
  const accepted = new Map(pins.accepted.map((pin) => [`${placeOf(pin)} ${pin.hash}`, pin.definition]))
  const exposed = tools.map((tool): ExposedTool => {
    const place = placeOf({ server: tool.server, tool: tool.name })
    const drift = waiting.get(place) ?? refused.get(place)
    const definition = drift?.after ?? accepted.get(`${place} ${tool.hash}`)
    const isRefused = !waiting.has(place) && refused.has(place)
    return { tool, refused: isRefused, ...(drift && { drift }), ...(definition && { definition }) }
  })
  return { tools: exposed, servers, withheld, waiting: waitingIn(pins) }
}

function waitingIn({ waiting, findings }: Pins): readonly HeldOfServer[] {
  const servers = [...new Set(waiting.map(({ server = '' }) => server))].sort()
  return servers.map((server) => ({
    server,
    drifts: waiting.filter((drift) => (drift.server ?? '') === server),
    findings: findings.filter((finding) => finding.server === server),
  }))
}

const placeOf = ({ server, tool }: { readonly server?: string; readonly tool: string }): string =>
  JSON.stringify([server ?? '', tool])

/** The gateway is still scanning new definitions, and sends no event when it has finished. */
export const isPending = ({ tools }: Exposure): boolean => tools.some(({ tool, drift }) => tool.waiting && !drift)

export type ToolStanding = 'on' | 'off' | 'hidden' | 'new' | 'changed' | 'refused'

export function toolStandingOf({ tool, drift, refused }: ExposedTool): ToolStanding {
  if (refused) return 'refused'
  if (tool.waiting) return drift?.before ? 'changed' : 'new'
  return tool.state
}

export const exposureFilters = ['all', 'waiting', 'off', 'hidden'] as const
export type ExposureFilter = (typeof exposureFilters)[number]

export function passesExposureFilter(filter: ExposureFilter, one: ExposedTool): boolean {
  const standing = toolStandingOf(one)
  if (filter === 'all') return true
  if (filter === 'waiting') return standing === 'new' || standing === 'changed' || standing === 'refused'
  return standing === filter
}

/** Is every word in the tool's names, description, server, toolsets or arguments? */
export function matchesSearch({ tool }: ExposedTool, words: string): boolean {
  const { name, title = '', description = '', server, sets, inputSchema } = tool
  return matchesWords(words, name, title, description, server, ...sets, ...argumentNames(inputSchema))
}

function argumentNames({ properties }: JsonObject): string[] {
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : []
}

export type ExposureGroup = { readonly name: string; readonly server?: Server; readonly tools: readonly ExposedTool[] }
export type GroupedBy = 'server' | 'set'

/** Groups tools by server or by toolset; tools with a pending definition come first. */
export function groupTools({ tools, servers }: Exposure, by: GroupedBy): readonly ExposureGroup[] {
  const groups = new Map<string, ExposedTool[]>(by === 'server' ? servers.map(({ id }) => [id, []]) : [])
  for (const one of tools)
    for (const name of by === 'server' ? [one.tool.server] : one.tool.sets.length > 0 ? one.tool.sets : ['']) {
      groups.set(name, [...(groups.get(name) ?? []), one])
    }
  return [...groups].map(([name, own]) => {
    const server = by === 'server' ? servers.find(({ id }) => id === name) : undefined
    return { name, tools: own.toSorted(byStanding), ...(server && { server }) }
  })
}

const first: ReadonlySet<ToolStanding> = new Set(['new', 'changed'])
const rank = (one: ExposedTool): number => (first.has(toolStandingOf(one)) ? 0 : 1)
const byStanding = (one: ExposedTool, other: ExposedTool): number =>
  rank(one) - rank(other) || (one.tool.name < other.tool.name ? -1 : 1)
