// A tool of which nothing is known but its name, because nobody has asked for the list.
import { BoundedMap } from '../../bounds/bounded-map.js'
import { effectiveHints } from '../../tools/hints.js'
import type { ReadyTool } from '../../tools/tool.js'
import { CallFailure } from '../errors.js'

/** What policies see of it: the worst. */
export type UnlistedTool = { readonly name: string; readonly ready: ReadyTool }

const known = new BoundedMap<string, UnlistedTool>(1_000)

export function unlistedTool(name: string): UnlistedTool {
  const before = known.get(name)
  if (before) return before
  const fresh = { name, ready: readyFor(name) }
  known.set(name, fresh)
  return fresh
}

const readyFor = (name: string): ReadyTool => ({
  name,
  listed: { name, inputSchema: { type: 'object' } },
  definition: { hints: effectiveHints(), run: cannotRunHere },
  checkInput: (value) => ({ value }),
  checkOutput: undefined,
})

const cannotRunHere = () => {
  throw new CallFailure('not_offered', 'A tool of another server is called through its client')
}
