// The claims of a tool about itself, and the one function that decides what the tool may do. docs/decisions/0031-one-answer-about-a-tool.md
import { isObject, type Json, type JsonObject } from '../json.js'
import type { Hints } from './tool.js'

const keys = {
  readOnlyHint: 'readOnly',
  destructiveHint: 'destructive',
  idempotentHint: 'idempotent',
  openWorldHint: 'openWorld',
} as const

// Shared by thousands of tools.
const noClaims: Hints = Object.freeze({})
const shared: Required<Hints>[] = []

/** The claims in the annotations of a listed tool, whether or not they can be trusted. */
export function claimsOf(annotations: Json | undefined): Hints {
  if (!isObject(annotations)) return noClaims
  const said = Object.entries(keys).filter(([key]) => typeof annotations[key] === 'boolean')
  return Object.fromEntries(said.map(([key, hint]) => [hint, annotations[key]]))
}

export const annotationsOf = (hints: Hints): JsonObject =>
  Object.fromEntries(Object.entries(keys).flatMap(([key, hint]) => (hints[hint] === undefined ? [] : [[key, hints[hint]]])))

/**
 * The hints to act on. A missing hint counts as the worst. `destructive` and `idempotent` only apply to a tool that changes
 * something, so a tool that only reads is never destructive. 2026-07-28/schema#ToolAnnotations
 *
 * @example
 * ```ts
 * const { destructive } = effectiveHints({ readOnly: true })
 * ```
 */
export function effectiveHints({ readOnly, destructive, idempotent, openWorld }: Hints = {}): Required<Hints> {
  const onlyReads = readOnly === true
  const destroys = !onlyReads && destructive !== false
  const repeats = onlyReads || idempotent === true
  const isOpen = openWorld !== false
  const at = (onlyReads ? 8 : 0) + (destroys ? 4 : 0) + (repeats ? 2 : 0) + (isOpen ? 1 : 0)
  shared[at] ??= Object.freeze({ readOnly: onlyReads, destructive: destroys, idempotent: repeats, openWorld: isOpen })
  return shared[at]
}

/** True if a server's unverified claims suffice to treat the tool as read-only. Contradictory claims do not. */
export const claimsToOnlyRead = (claims: Hints | undefined): boolean =>
  effectiveHints(claims).readOnly && claims?.destructive !== true
