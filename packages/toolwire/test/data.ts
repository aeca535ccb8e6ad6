import { join } from 'node:path'

/** The folder of published test data. test/data/README.md names the origin of each data set. */
export const dataFolder = (name: 'mcp-schema' | 'json-schema' | 'json' | 'tools'): string =>
  join(import.meta.dirname, 'data', name)
