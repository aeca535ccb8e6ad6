// The tools that the upstreams of a gateway list, and names that may still appear.
import type { JsonObject } from 'toolwire'
import { plainText, ruleParts, schemas } from 'toolwire/relay'
import { withoutAdditionalProperties } from 'toolwire/schema'
import { misspelledName } from '../../config/did-you-mean.js'
import type { UpstreamConfig } from '../../config/gateway-config.js'
import type { UpstreamTool } from '../names/named-tools.js'
import { hasWildcard } from './missing-name.js'

/** An upstream and its listed tools; the tools are undefined if the upstream was not asked yet or is disabled. */
export type ListedServer = {
  readonly config: UpstreamConfig
  readonly tools: readonly (UpstreamTool & { readonly inputSchema: JsonObject })[] | undefined
}

type NearestTool = { readonly tool: ruleParts.NamedTool; readonly name: string; readonly isSure: boolean }

export type KnownTools = ReturnType<typeof knownTools>

/** The listed tools of all upstreams, `tools` in the form that rules use, with look-ups by name. */
export function knownTools(upstreams: readonly ListedServer[], tools: readonly ruleParts.NamedTool[]) {
  const listed = upstreams.flatMap(({ tools = [] }) => tools)
  const inputs = new Map(tools.map((tool, at) => [tool, listed[at]?.inputSchema ?? {}]))
  const shown = new Set(tools.map(({ tool }) => tool))
  const own = new Set(tools.map(({ server = '', tool, ownName = tool }) => keyOf(server, ownName)))
  return {
    tools,
    ids: upstreams.map(({ config }) => config.id),
    shownNames: [...shown],
    /** A fast look-up for plain names; other names need a closer check. */
    has(name: string, server: ruleParts.RuleCondition['server']): boolean {
      if (server === undefined) return shown.has(name)
      return typeof server === 'string' && own.has(keyOf(server, name))
    },
    argumentsOf: (tool: ruleParts.NamedTool): ReadonlySet<string> | undefined => argumentsOf(inputs.get(tool) ?? {}),
    upstreamsMatching(server: NonNullable<ruleParts.RuleCondition['server']>): readonly ListedServer[] {
      const fits = ruleParts.mayNameTool({ server }, 'deny')
      return upstreams.filter(({ config }) => fits({ server: config.id, tool: '' }))
    },
    /** Has one of the upstreams not listed its tools yet? */
    hasUnlistedServer: (some: readonly ListedServer[] = upstreams): boolean =>
      some.some(({ config, tools }) => !tools && !config.disabled),
    /** The upstreams whose prefix a caller-visible name starts with. */
    upstreamsByPrefix: (name: string): readonly ListedServer[] =>
      upstreams.filter(({ config: { prefix } }) => prefix !== false && startOf(name).startsWith(`${prefix}__`.toLowerCase())),
    /** Could an upstream that has not listed its tools yet offer a tool of this name? */
    mayAppear(name: string): boolean {
      const start = startOf(name)
      return upstreams.some(({ config: { prefix }, tools }) => {
        if (tools) return false
        const own = prefix === false ? '' : `${prefix}__`.toLowerCase()
        return start.startsWith(own) || (hasWildcard(name) && own.startsWith(start))
      })
    },
    /** The tool that was most likely meant; `isSure` if hardly another one is possible. */
    nearestTo(name: string, ids: readonly string[]): NearestTool | undefined {
      if (hasWildcard(name)) return undefined
      const near = tools.filter(({ server = '' }) => ids.includes(server))
      const names = [...near.map(({ tool }) => tool), ...near.flatMap(({ ownName = [] }) => ownName)]
      const meant = plainText.nearest(name, names)
      const tool = near.find((one) => one.tool === meant || one.ownName === meant)
      return tool && meant !== undefined ? { tool, name: meant, isSure: misspelledName(name, names) !== undefined } : undefined
    },
  }
}

const keyOf = (server: string, name: string): string => `${server} ${name}`
const startOf = (name: string): string => (/^[^*?]*/.exec(name)?.[0] ?? '').toLowerCase()
export const serversNamed = (tools: readonly ruleParts.NamedTool[]): readonly string[] => [
  ...new Set(tools.flatMap(({ server = [] }) => server)),
]

const argumentNames = new WeakMap<JsonObject, ReadonlySet<string> | 'any'>()

/** The names of a tool's arguments; undefined if the tool accepts others as well. */
export function argumentsOf(schema: JsonObject): ReadonlySet<string> | undefined {
  const names = argumentNames.get(schema) ?? schemas.knownKeys(withoutAdditionalProperties(schema)) ?? 'any'
  argumentNames.set(schema, names)
  return names === 'any' ? undefined : names
}
