// Adds structured results, output schemas, titles, resource links, form elicitation and `_meta` on everything. Withdraws batches.
// HTTP requests of a session now name its revision.
import { v20250326 as previous } from './2025-03-26.js'
import { blockAsIs } from './encode/encode-content.js'
import { encodePlainForm } from './encode/encode-form.js'
import type { Revision } from './revision.js'

export const v20250618: Revision = {
  ...previous,
  version: '2025-06-18',
  batching: false,
  fields: {
    implementation: [...previous.fields.implementation, 'title'],
    tool: [...previous.fields.tool, 'title', 'outputSchema', '_meta'],
    resource: [...previous.fields.resource, 'title', '_meta'],
    prompt: [...previous.fields.prompt, 'title', '_meta'],
    argument: [...previous.fields.argument, 'title'],
    annotations: [...previous.fields.annotations, 'lastModified'],
  },
  titleInAnnotations: false,
  blocks: { ...previous.blocks, resource_link: blockAsIs },
  blockMeta: true,
  structured: 'objects',
  questions: { ...previous.questions, form: encodePlainForm },
  http: { ...previous.http, versionHeader: true },
}
