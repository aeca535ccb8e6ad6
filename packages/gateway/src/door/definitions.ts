import type { Definition, HeldBack } from './control.js'

/** Another server than the accepted one is meant by whoever says that it is this one. */
export const isMeant = (drift: HeldBack, { server, tool, hash, serverIdentity }: Definition): boolean =>
  drift.server === server &&
  drift.tool === tool &&
  drift.hash === hash &&
  (serverIdentity === undefined ? drift.anotherServer === undefined : serverIdentity === drift.serverIdentity)

/** The same but for whose it is. */
export const isLike = (drift: HeldBack, { server, tool, hash }: Definition): boolean =>
  drift.server === server && drift.tool === tool && drift.hash === hash
