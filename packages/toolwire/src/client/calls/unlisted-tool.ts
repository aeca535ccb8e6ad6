// A tool that is known only by its name, because the list was not requested.
import { BoundedMap } from '../../bounds/bounded-map.js'
import { effectiveHints } from '../../tools/hints.js'
import type { ListedTool, ReadyTool } from '../../tools/tool.js'
import { CallFailure } from '../errors.js'

export type UnlistedTool = { readonly name: string; readonly ready: ReadyTool }

const known = new BoundedMap<string, UnlistedTool>(1_000)

export function unlistedTool(name: string): UnlistedTool {
  const before = known.get(name)
  if (before) return before
  const fresh = { name, ready: readyToolOf({ name, inputSchema: { type: 'object' } }) }
  known.set(name, fresh)
  return fresh
}

/** A tool in the form that policies take. It cannot be run here. */
export const readyToolOf = (listed: ListedTool, hints = effectiveHints()): ReadyTool => ({
  name: listed.name,
  listed,
  definition: { hints, run: cannotRunHere },
  checkInput: (value) => ({ value }),
  checkOutput: undefined,
})

const cannotRunHere = () => {
  throw new CallFailure(
    'not_offered',
    'A tool of another server cannot be run here. Call the tool through the client of its server',
  )
}
