import type { PooledTool } from '../../client/pool.js'
import type { CallResult } from '../../tools/call-result.js'
import { fenced, joinTextParts } from './fence.js'
import { type ModelOutcome, textPart } from './model-outcome.js'
import { readBlocks } from './read-blocks.js'
import { type ResultLimits, trimBlocks } from './trim-blocks.js'

export type ReadOptions = {
  readonly limits: ResultLimits
  readonly forUser: boolean
  readonly fence: (tool: PooledTool) => boolean
  readonly shows: (mediaType: string) => boolean
}

export function readOutcome(result: CallResult, tool: PooledTool, reading: ReadOptions): ModelOutcome {
  const blocks = readBlocks(result, reading.shows)
  const forModel = reading.forUser ? blocks : blocks.filter(({ forUserOnly }) => !forUserOnly)
  const isError = result.isError === true
  const said = blocks.length > 0 ? '; its output is for the user only' : ' without output'
  if (forModel.length === 0) return { isError, parts: [textPart(`[the tool ${isError ? 'failed' : 'is done'}${said}]`)] }
  const parts = trimBlocks(forModel, reading.limits)
  return { isError, parts: reading.fence(tool) ? fenced(parts, tool) : joinTextParts(parts) }
}
