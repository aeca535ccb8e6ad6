// A tool of an upstream as callers see it: its listed definition, with the operator's overrides.
import type { Hints, JsonObject } from 'toolwire'
import type { RemoteTool } from 'toolwire/client'
import { effectiveHints } from 'toolwire/guard'
import type { ListedTool } from 'toolwire/relay'
import type { UpstreamConfig } from '../../config/gateway-config.js'
import { matchesAny } from '../../config/globs.js'
import { isObject } from '../../json/is-object.js'
import { isToolName } from '../names/exposed-name.js'
import { exposedToolName } from '../names/named-tools.js'

export type ExposedTool = {
  readonly name: string
  readonly listed: ListedTool
  /** The hints that the gateway trusts. */
  readonly hints: Hints
  readonly pinned: JsonObject
}

/** Shared by nearly all tools, because there may be thousands. */
const nothingPinned: JsonObject = Object.freeze({})

/** The tool for callers; undefined if the operator hides it. */
export function exposedToolOf(tool: RemoteTool, definition: JsonObject, config: UpstreamConfig): ExposedTool | undefined {
  const { tools, only, trusted } = config
  const said = Object.hasOwn(tools, tool.name) ? (tools[tool.name] ?? {}) : {}
  if (said.hidden || (only && !matchesAny(only, tool.name))) return undefined
  const { title, description, hints, arguments: pinned = nothingPinned } = said
  const name = exposedToolName(config, tool.name)
  const listed = {
    ...definition,
    name,
    inputSchema: withoutFixedArguments(tool.inputSchema, pinned),
    ...(title !== undefined ? { title } : titled(tool)),
    ...(description !== undefined && { description }),
    ...(hints && { annotations: annotated(tool, hints) }),
  }
  // The definition is untrusted: clients read it, and no code here relies on its form.
  return { name, listed: listed as unknown as ListedTool, hints: hintsOfOperator(tool.claims, hints, trusted), pinned }
}

/** The schema without the arguments that the operator has pinned. */
function withoutFixedArguments(schema: JsonObject, pinned: JsonObject): JsonObject {
  const names = new Set(Object.keys(pinned))
  if (names.size === 0) return schema
  const { properties, required, ...rest } = schema
  const left = Array.isArray(required) ? required.filter((name) => typeof name !== 'string' || !names.has(name)) : []
  return {
    ...rest,
    ...(isObject(properties) && {
      properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !names.has(name))),
    }),
    ...(left.length > 0 && { required: left }),
  }
}

/** The operator's hints override the claims. A tool that the operator calls destructive is not read-only, even if its server claims so. */
export const overriddenClaims = (claims: Hints, said: Hints = {}): Hints => ({
  ...claims,
  ...(claims.readOnly && said.destructive && { readOnly: false }),
  ...said,
})

/** The trusted hints of a tool: the operator's, and the claims of a trusted server. */
export const hintsOfOperator = (claims: Hints, said: Hints | undefined, trusted: boolean): Required<Hints> =>
  effectiveHints(overriddenClaims(trusted ? claims : {}, said))

/** A tool whose name had to be changed shows its own name as title. */
const titled = ({ name, definition }: RemoteTool): JsonObject =>
  isToolName(name) || typeof definition.title === 'string' ? {} : { title: name }

function annotated({ definition, claims }: RemoteTool, hints: Hints): JsonObject {
  const said = Object.entries(overriddenClaims(claims, hints)).map(([hint, holds]) => [`${hint}Hint`, holds])
  return { ...(isObject(definition.annotations) && definition.annotations), ...Object.fromEntries(said) }
}
