// Views of tools for the people who decide about them.
import type { Hints } from 'toolwire'
import { definitionHash, type ReadyTool } from 'toolwire/guard'
import { type ruleParts, sanitizing } from 'toolwire/relay'
import { explain } from 'toolwire/rules'
import { localCaller } from '../../access/local-callers.js'
import { exposedName } from '../../catalog/names/exposed-name.js'
import type { GatewayConfig } from '../../config/gateway-config.js'
import { matchesAny } from '../../config/globs.js'
import { withoutUndefined } from '../../json/without-undefined.js'
import type { Store } from '../../store/store.js'
import type { PinRegistry } from '../pins/pin-registry.js'
import type { PolicyFile } from '../policy/policy-file.js'
import { outlookFor } from './tool-outlook.js'
import type { ToolStates } from './tool-states.js'
import type { HintBasis } from './tool-view.js'

/** One tool under its exposed name. `hints` are what the gateway relies on; `claims` are what the server states. */
export type ToolView = ReturnType<typeof toolViewOf>

/** A tool view with its sets, state, acceptance, scopes and the decision of the rules. */
export type ToolDetails = Awaited<ReturnType<typeof toolDetails>>

export function toolViewOf(tool: ReadyTool, isOpen: boolean, config: GatewayConfig) {
  const { name, listed, definition } = tool
  const { title, description, inputSchema, outputSchema, annotations } = listed
  const { server = '', ownName = name, hints = {} } = definition
  return {
    ...withoutUndefined({ name, server, ownName, title, description, inputSchema, outputSchema, hints }),
    ...(annotations && { annotations }),
    claims: sanitizing.claimsOf(annotations),
    hintBasis: hintBasis(tool, config),
    hash: definitionHash(tool),
    waiting: !isOpen,
  }
}

/** A hint that the server's annotations lack has no basis, even if a default applies. */
function hintBasis(
  { name, listed, definition }: ReadyTool,
  { upstreams }: GatewayConfig,
): Readonly<Record<keyof Hints, HintBasis>> {
  const upstream = upstreams.find(({ id }) => id === definition.server)
  const claims = sanitizing.claimsOf(listed.annotations)
  const said = Object.entries(upstream?.tools ?? {}).find(
    ([own, { rename = own }]) => upstream && exposedName(upstream.prefix, rename) === name,
  )?.[1].hints
  const basis = (hint: keyof Hints): HintBasis => {
    if (claims[hint] === undefined) return 'unsaid'
    return upstream?.trusted || said?.[hint] !== undefined ? 'trusted' : 'claimed'
  }
  return {
    readOnly: basis('readOnly'),
    destructive: basis('destructive'),
    idempotent: basis('idempotent'),
    openWorld: basis('openWorld'),
  }
}

type DetailParts = {
  readonly store: Store
  readonly config: GatewayConfig
  readonly policy: PolicyFile
  readonly states: ToolStates
  readonly pins: PinRegistry
}

export async function toolDetails(tool: ReadyTool, isOpen: boolean, parts: DetailParts) {
  const { store, config, states, pins } = parts
  const { name, definition } = tool
  const { server = '', scopes } = definition
  const pin = await store.pins.get(server, name)
  const seen = store.marks.get('seen', { server, tool: name })
  return {
    ...toolViewOf(tool, isOpen, config),
    sets: Object.entries(config.sets).flatMap(([set, only]) => (matchesAny(only, name) ? [set] : [])),
    trusted: config.upstreams.some((upstream) => upstream.id === server && upstream.trusted),
    state: states.of(tool),
    ...(seen && { firstSeenAt: seen.at }),
    ...(pin && { accepted: pins.accepted(pin) }),
    decision: decisionOn(tool, parts.policy),
    ...(scopes && { scopes: [...scopes] }),
  }
}

/** The properties of a tool that rules look at. */
export function ruleSubjectOf({ name, listed, definition }: ReadyTool): ruleParts.NamedTool & { readonly server: string } {
  const { server = '', ownName = name, shadowed, hints = {}, tags } = definition
  const claims = sanitizing.claimsOf(listed.annotations)
  return { tool: name, server, ownName, ...(shadowed && { shadowed }), hints, claims, ...(tags && { tags }) }
}

function decisionOn(tool: ReadyTool, { current }: PolicyFile) {
  const { outlook, byClaim } = outlookFor(current, ruleSubjectOf(tool))
  const { rule } = explain(current, {
    ...ruleSubjectOf(tool),
    caller: localCaller,
    arguments: tool.definition.fixedArguments ?? {},
  })
  return { anyone: outlook, ...(rule !== undefined && { rule }), ...(byClaim && { ground: 'claim' as const }) }
}
