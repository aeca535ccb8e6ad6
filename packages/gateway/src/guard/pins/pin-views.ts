// Definitions of tools as somebody sees them who accepts or refuses them.
import type { Advice, Drift } from 'toolwire/guard'

/** A definition of a tool, at its server. */
export type DefinitionRef = {
  readonly server: string
  readonly tool: string
  readonly hash: string
  /** Which server is meant: needed where it is another one than was accepted under this name. */
  readonly serverIdentity?: string
}

/** A definition that is not the accepted one; `serverChange` says in words that its server is another one. */
export type HeldBackDefinition = Drift & { readonly serverChange?: string }

/** What a scan found in definitions of one server: once, with all the tools that it was found in. */
export type ScanFinding = Advice & {
  readonly server: string
  readonly tools: readonly string[]
}

/** Another server than the accepted one is meant by a person who says that it is this one. */
export const matchesDefinition = (drift: HeldBackDefinition, { server, tool, hash, serverIdentity }: DefinitionRef): boolean =>
  drift.server === server &&
  drift.tool === tool &&
  drift.hash === hash &&
  (serverIdentity === undefined ? drift.anotherServer === undefined : serverIdentity === drift.serverIdentity)

/** The same but for whose it is. */
export const isSameDefinition = (drift: HeldBackDefinition, { server, tool, hash }: DefinitionRef): boolean =>
  drift.server === server && drift.tool === tool && drift.hash === hash
