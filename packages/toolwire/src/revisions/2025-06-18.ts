// Adds structured results, output schemas, titles, resource links, forms put to the user and `_meta` on everything; withdraws
// batches; from here on the HTTP requests of a session name its revision.
import { v20250326 as previous } from './2025-03-26.js'
import { linkWithoutIcons } from './encode-content.js'
import { plainForm } from './forms.js'
import type { Revision } from './revision.js'

export const v20250618: Revision = {
  ...previous,
  version: '2025-06-18',
  batching: false,
  implementationFields: [...previous.implementationFields, 'title'],
  describedBy: {
    tool: [...previous.describedBy.tool, 'title', 'outputSchema', '_meta'],
    resource: [...previous.describedBy.resource, 'title', '_meta'],
    prompt: [...previous.describedBy.prompt, 'title', '_meta'],
    argument: [...previous.describedBy.argument, 'title'],
  },
  titleInAnnotations: false,
  blocks: { ...previous.blocks, resource_link: linkWithoutIcons },
  annotationFields: [...previous.annotationFields, 'lastModified'],
  blockMeta: true,
  structured: 'objects',
  questions: { ...previous.questions, form: plainForm },
  http: { ...previous.http, versionHeader: 'checked' },
}
