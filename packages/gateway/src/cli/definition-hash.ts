import type { JsonObject } from 'toolwire'
import { definitionHash } from 'toolwire/guard'

/** The hash that pins and audit records know a definition by. */
export function definitionHashOf(definition: JsonObject): string {
  // Nothing but what was listed goes into it.
  return definitionHash({ listed: definition } as object as Parameters<typeof definitionHash>[0])
}
