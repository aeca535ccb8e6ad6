import { join } from 'node:path'

/** The folder of test data that others publish; test/data/README.md names its origin. */
export const dataFolder = (name: 'mcp-schema' | 'json-schema' | 'json' | 'tools'): string =>
  join(import.meta.dirname, 'data', name)
