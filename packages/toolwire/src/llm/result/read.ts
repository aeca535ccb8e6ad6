import type { PooledTool } from '../../client/pool.js'
import type { CallResult } from '../../tools/calls.js'
import { readBlocks } from './blocks.js'
import { fenced, joined } from './fence.js'
import type { ResultLimits } from './limits.js'
import { type Outcome, textPart } from './outcome.js'
import { trimmed } from './trim.js'

/** How results are read. */
export type Reading = {
  readonly limits: ResultLimits
  readonly forUser: boolean
  readonly fence: (tool: PooledTool) => boolean
  readonly shows: (mediaType: string) => boolean
}

/** A result as the model may read it. */
export function read(result: CallResult, tool: PooledTool, reading: Reading): Outcome {
  const blocks = readBlocks(result, reading.shows)
  const forModel = reading.forUser ? blocks : blocks.filter(({ forUserOnly }) => !forUserOnly)
  const isError = result.isError === true
  if (forModel.length === 0) return { isError, parts: [textPart(silence(blocks.length, isError))] }
  const parts = trimmed(forModel, reading.limits)
  return { isError, parts: reading.fence(tool) ? fenced(parts, tool) : joined(parts) }
}

function silence(blocks: number, isError: boolean): string {
  if (blocks > 0) return `[the tool ${isError ? 'failed' : 'is done'}; what it said is for the user only]`
  return `[the tool ${isError ? 'failed' : 'is done'} and said nothing]`
}
