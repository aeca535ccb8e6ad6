import { canonicalJsonSteps, type Json } from '../json.js'
import { finishInTurns } from './steps.js'

/** Writes canonical JSON, and yields to the event loop while it sorts many members. */
export function canonicalJsonInTurns(value: Json | undefined): string | Promise<string> {
  const text = canonicalJsonSteps(value)
  return typeof text === 'string' ? text : finishInTurns(text)
}
