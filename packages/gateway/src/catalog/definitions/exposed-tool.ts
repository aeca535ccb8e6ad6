// A tool of an upstream as callers are to see it: as it was listed there, with what the operator says instead.
import type { Hints, JsonObject } from 'toolwire'
import type { RemoteTool } from 'toolwire/client'
import { effectiveHints } from 'toolwire/guard'
import type { ListedTool } from 'toolwire/relay'
import type { UpstreamConfig } from '../../config/gateway-config.js'
import { matchesAny } from '../../config/globs.js'
import { isObject } from '../../json/is-object.js'
import { isToolName } from '../names/exposed-name.js'
import { exposedToolName } from '../names/named-tools.js'
import { withoutFixedArguments } from './fixed-arguments.js'

export type ExposedTool = {
  readonly name: string
  readonly listed: ListedTool
  /** What is to be believed of it. */
  readonly hints: Hints
  readonly pinned: JsonObject
}

/** Nearly all tools share it, of which there may be thousands. */
const nothingPinned: JsonObject = Object.freeze({})

/** Undefined where the operator does not want it to be seen. */
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
  // A stranger's definition: it is for clients to read, and nothing here believes its form.
  return { name, listed: listed as unknown as ListedTool, hints: hintsOfOperator(tool.claims, hints, trusted), pinned }
}

/** The operator's word comes first. A tool that the operator calls destructive is not read-only, even if its server claims so. */
export const overriddenClaims = (claims: Hints, said: Hints = {}): Hints => ({
  ...claims,
  ...(claims.readOnly && said.destructive && { readOnly: false }),
  ...said,
})

/** What is believed of a tool: the operator's word, and the claims of a trusted server. */
export const hintsOfOperator = (claims: Hints, said: Hints | undefined, trusted: boolean): Required<Hints> =>
  effectiveHints(overriddenClaims(trusted ? claims : {}, said))

/** People see its own name beside one that had to be made up. */
const titled = ({ name, definition }: RemoteTool): JsonObject =>
  isToolName(name) || typeof definition.title === 'string' ? {} : { title: name }

function annotated({ definition, claims }: RemoteTool, hints: Hints): JsonObject {
  const said = Object.entries(overriddenClaims(claims, hints)).map(([hint, holds]) => [`${hint}Hint`, holds])
  return { ...(isObject(definition.annotations) && definition.annotations), ...Object.fromEntries(said) }
}
