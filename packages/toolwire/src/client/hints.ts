// What a tool claims about itself, and what may be made of it. spec 2025-03-26, server/tools: annotations are untrusted.
import { isObject, type Json } from '../json.js'
import type { Hints } from '../tools/tool.js'

const keys = {
  readOnlyHint: 'readOnly',
  destructiveHint: 'destructive',
  idempotentHint: 'idempotent',
  openWorldHint: 'openWorld',
} as const

/** What holds where nothing is said, or nothing is believed. */
const worst: Required<Hints> = { readOnly: false, destructive: true, idempotent: false, openWorld: true }

export function claimsOf(annotations: Json | undefined): Hints {
  if (!isObject(annotations)) return {}
  return Object.fromEntries(
    Object.entries(keys).flatMap(([key, hint]) => (typeof annotations[key] === 'boolean' ? [[hint, annotations[key]]] : [])),
  )
}

/** Whether a tool destroys, or may be called twice, is a question only for tools that do not just read. */
export function believed(claims: Hints, trusted: boolean): Required<Hints> {
  if (!trusted) return worst
  const hints = { ...worst, ...claims }
  return hints.readOnly ? { ...hints, destructive: false, idempotent: true } : hints
}
