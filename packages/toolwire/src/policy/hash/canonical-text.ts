import { finishInTurns } from '../../bounds/steps.js'
import { canonicalJsonSteps, type Json } from '../../json.js'

/** Canonical JSON, written in turns of the event loop if it takes long. The value must not change meanwhile. */
export function canonicalText(value: Json | undefined): string | Promise<string> {
  const text = canonicalJsonSteps(value)
  return typeof text === 'string' ? text : finishInTurns(text)
}
