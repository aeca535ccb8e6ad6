// Adds Streamable HTTP, tool annotations, audio, messages with progress, declared completions, and JSON-RPC batches.
import { v20241105 as previous } from './2024-11-05.js'
import { blockAsIs } from './encode/encode-content.js'
import type { Revision } from './revision.js'

export const v20250326: Revision = {
  ...previous,
  version: '2025-03-26',
  batching: true,
  fields: { ...previous.fields, tool: [...previous.fields.tool, 'annotations'] },
  titleInAnnotations: true,
  blocks: { ...previous.blocks, audio: blockAsIs },
  progressMessage: true,
  capabilities: { ...previous.capabilities, completions: true },
  http: { ...previous.http, resumable: true },
}
