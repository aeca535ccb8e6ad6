// Data of others that tests read: from test/data, or from beside the clone where it is not there.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const beside = {
  /** The official schema of each revision. */
  'mcp-schema': 'spec/schema',
  /** The official tests of JSON Schema. */
  'json-schema': 'corpora/json-schema',
  /** Files that are JSON, or are not. */
  json: 'corpora/json/test_parsing',
  /** Definitions of tools, as real servers send them. */
  tools: 'corpora/tools',
} as const

/** The folder of that name; it may not exist. */
export function dataFolder(name: keyof typeof beside): string {
  const own = join(import.meta.dirname, 'data', name)
  return existsSync(own) ? own : join(import.meta.dirname, '../../../../shared', beside[name])
}
