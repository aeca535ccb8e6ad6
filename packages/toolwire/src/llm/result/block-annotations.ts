import { isObject } from '../../json.js'

/** Whom a block is for and how much it matters, as far as that is said. */
export type BlockAnnotations = { readonly forUserOnly: boolean; readonly priority: number }

const usualPriority = 0.5

/**
 * What is said about a block. The published examples annotate an embedded resource within `resource`, the schema beside it: both
 * are read, and the block has the last word. https://modelcontextprotocol.io/specification/2026-07-28/server/tools#embedded-resources
 */
export function blockAnnotationsOf(block: Readonly<Record<string, unknown>>): BlockAnnotations {
  const within = isObject(block.resource) && isObject(block.resource.annotations) ? block.resource.annotations : {}
  const { audience, priority } = { ...within, ...(isObject(block.annotations) ? block.annotations : {}) }
  return {
    forUserOnly: Array.isArray(audience) && audience.length > 0 && audience.every((who) => who === 'user'),
    priority: typeof priority === 'number' && priority >= 0 && priority <= 1 ? priority : usualPriority,
  }
}
