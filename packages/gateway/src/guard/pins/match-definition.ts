import type { DefinitionRef, HeldBackDefinition } from '../../api/control/control.js'

/** A changed server is accepted only under its own identity. */
export const matchesDefinition = (drift: HeldBackDefinition, { server, tool, hash, serverIdentity }: DefinitionRef): boolean =>
  drift.server === server &&
  drift.tool === tool &&
  drift.hash === hash &&
  (serverIdentity === undefined ? drift.anotherServer === undefined : serverIdentity === drift.serverIdentity)

/** The same but for whose it is. */
export const isSameDefinition = (drift: HeldBackDefinition, { server, tool, hash }: DefinitionRef): boolean =>
  drift.server === server && drift.tool === tool && drift.hash === hash
