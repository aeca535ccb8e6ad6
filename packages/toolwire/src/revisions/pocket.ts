// The pocket profile: a short digest of the 2025-06-18 revision that some clients were written against. Certain optional members are
// always present. Chosen per endpoint, never detected.
import type { JsonObject } from '../json.js'
import { v20250618 as previous } from './2025-06-18.js'
import type { Revision } from './revision.js'

export const pocket: Revision = {
  ...previous,
  fields: { ...previous.fields, tool: ['name', 'description', 'inputSchema', 'outputSchema', 'annotations'] },
  lastCursor: '',
  capabilities: { ...previous.capabilities, listChangedAlways: true },
  finish: (result, method) => finishers[method]?.(result) ?? result,
}

const finishers: Readonly<Record<string, (result: JsonObject) => JsonObject>> = {
  'tools/call': (result) => ({ ...result, structuredContent: result.structuredContent ?? {} }),
  'tools/list': (result) => ({
    ...result,
    // The handler of tools/list has just encoded this list.
    tools: (result.tools as JsonObject[]).map((tool) => ({ ...tool, description: tool.description ?? '' })),
  }),
}
