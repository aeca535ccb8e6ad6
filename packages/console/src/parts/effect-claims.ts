import { effectiveHints } from '../../../toolwire/src/tools/hints.js'
import type { Hints } from '../api/types.js'

/** A claim about a tool's effects; `said` is false if the server does not make it and the worst is assumed. */
export type Claim = { readonly words: string; readonly tone: 'ok' | 'neutral' | 'warning' | 'danger'; readonly said: boolean }

/** The claims in words; a missing claim counts as the worst. spec 2025-11-25, schema#toolannotations */
export function claimTexts(claims: Hints): readonly Claim[] {
  const { readOnly, destructive, idempotent, openWorld } = claims
  const effective = effectiveHints(claims)
  const world = worldOf(openWorld)
  if (effective.readOnly) return [{ words: 'Only reads', tone: 'ok', said: true }, world]
  return [
    {
      words: readOnly === undefined ? 'May change something' : 'Changes something',
      tone: readOnly === undefined ? 'neutral' : 'warning',
      said: readOnly !== undefined,
    },
    !effective.destructive
      ? { words: 'Only adds', tone: 'ok', said: true }
      : { words: 'May destroy or overwrite', tone: destructive ? 'danger' : 'neutral', said: destructive !== undefined },
    effective.idempotent
      ? { words: 'Repeated calls have no further effect', tone: 'ok', said: true }
      : { words: 'Repeated calls repeat the effect', tone: 'neutral', said: idempotent !== undefined },
    world,
  ]
}

/** The claims in a word or two. Red is only for tools that their own server calls destructive. */
export type Effect = { readonly name: string; readonly words: string; readonly tone: Claim['tone']; readonly said: boolean }

export function effectOf(claims: Hints): Effect {
  const { readOnly, destructive } = claims
  if (effectiveHints(claims).readOnly) return { name: 'reads', words: 'only reads', tone: 'neutral', said: true }
  if (destructive === true) return { name: 'destructive', words: 'may delete or overwrite', tone: 'danger', said: true }
  if (readOnly === undefined && destructive === undefined)
    return { name: 'not said', words: 'does not say what it changes', tone: 'neutral', said: false }
  return { name: 'writes', words: 'may change things', tone: 'warning', said: true }
}

const worldOf = (open: boolean | undefined): Claim =>
  open === false
    ? { words: 'Stays within its own system', tone: 'ok', said: true }
    : { words: 'Reaches the outside world', tone: 'neutral', said: open !== undefined }
