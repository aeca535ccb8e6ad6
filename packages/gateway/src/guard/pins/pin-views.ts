// Tool definitions as shown to the person who accepts or refuses them.
import type { Advice, Drift } from 'toolwire/guard'

export type DefinitionRef = {
  readonly server: string
  readonly tool: string
  readonly hash: string
  /** The identity of the server; required if it differs from the one accepted under this name. */
  readonly serverIdentity?: string
}

/** A withheld definition; `serverChange` describes how its server differs from the accepted one. */
export type HeldBackDefinition = Drift & { readonly serverChange?: string }

/** One finding of a scan for one server, with all the tools it was found in. */
export type ScanFinding = Advice & {
  readonly server: string
  readonly tools: readonly string[]
}

/** A definition from another server than the accepted one matches only if its server identity is given. */
export const matchesDefinition = (drift: HeldBackDefinition, { server, tool, hash, serverIdentity }: DefinitionRef): boolean =>
  drift.server === server &&
  drift.tool === tool &&
  drift.hash === hash &&
  (serverIdentity === undefined ? drift.anotherServer === undefined : serverIdentity === drift.serverIdentity)

/** Compares like `matchesDefinition`, but ignores the server's identity. */
export const isSameDefinition = (drift: HeldBackDefinition, { server, tool, hash }: DefinitionRef): boolean =>
  drift.server === server && drift.tool === tool && drift.hash === hash
