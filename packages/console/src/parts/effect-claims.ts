import type { Hints, JsonObject, Tool } from '../api/types.js'

/** Something about a tool's effects: said by its server, or taken to be true because nothing is said. */
export type Claim = { readonly words: string; readonly tone: 'ok' | 'neutral' | 'warning' | 'danger'; readonly said: boolean }

/** What the server itself says about the tool's effects, whether it is believed or not. */
export const claimsOfTool = ({ annotations = {} }: Pick<Tool, 'annotations'>): Hints => claimed(annotations)

const names = {
  readOnly: 'readOnlyHint',
  destructive: 'destructiveHint',
  idempotent: 'idempotentHint',
  openWorld: 'openWorldHint',
} as const

function claimed(annotations: JsonObject): Hints {
  const said = Object.entries(names).filter(([, name]) => typeof annotations[name] === 'boolean')
  return Object.fromEntries(said.map(([hint, name]) => [hint, annotations[name]]))
}

/** The claims in words; of what nothing is said, the worst is assumed. spec 2025-11-25, schema#toolannotations */
export function claimTexts({ readOnly, destructive, idempotent, openWorld }: Hints): readonly Claim[] {
  const world = worldOf(openWorld)
  if (readOnly === true) return [{ words: 'Only reads', tone: 'ok', said: true }, world]
  return [
    {
      words: readOnly === undefined ? 'May change something' : 'Changes something',
      tone: readOnly === undefined ? 'neutral' : 'warning',
      said: readOnly !== undefined,
    },
    destructive === false
      ? { words: 'Only adds', tone: 'ok', said: true }
      : { words: 'May destroy or overwrite', tone: destructive ? 'danger' : 'neutral', said: destructive !== undefined },
    idempotent === true
      ? { words: 'Safe to repeat', tone: 'ok', said: true }
      : { words: 'Repeating it has further effects', tone: 'neutral', said: idempotent !== undefined },
    world,
  ]
}

/** The same in a word or two. Red is for what a server itself calls destructive; where it says nothing, so do we. */
export type Effect = { readonly name: string; readonly words: string; readonly tone: Claim['tone']; readonly said: boolean }

export function effectOf({ readOnly, destructive }: Hints): Effect {
  if (readOnly === true) return { name: 'reads', words: 'only reads', tone: 'neutral', said: true }
  if (destructive === true) return { name: 'destructive', words: 'may delete or overwrite', tone: 'danger', said: true }
  if (readOnly === undefined && destructive === undefined)
    return { name: 'not said', words: 'does not say what it changes', tone: 'neutral', said: false }
  return { name: 'writes', words: 'may change things', tone: 'warning', said: true }
}

const worldOf = (open: boolean | undefined): Claim =>
  open === false
    ? { words: 'Stays within its own system', tone: 'ok', said: true }
    : { words: 'Reaches the outside world', tone: 'neutral', said: open !== undefined }
