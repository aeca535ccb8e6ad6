// Adds a default dialect of JSON Schema, icons, experimental tasks, URL elicitation, tools for sampling, and polling of a reply
// stream. The model may read why its arguments were refused. An error for a message without a readable id omits the id.
import { v20250618 as previous } from './2025-06-18.js'
import { encodeFullForm } from './encode/encode-form.js'
import { encodeToolSampling } from './encode/encode-sampling.js'
import { type ServerMethod, words } from './methods.js'
import { protocolCodes } from './protocol-codes.js'
import type { Revision } from './revision.js'

export const v20251125: Revision = {
  ...previous,
  version: '2025-11-25',
  methods: new Set<ServerMethod>([...previous.methods, ...words('tasks/get tasks/result tasks/cancel tasks/list')]),
  unreadableId: 'omitted',
  fields: {
    ...previous.fields,
    implementation: [...previous.fields.implementation, 'description', 'icons', 'websiteUrl'],
    tool: [...previous.fields.tool, 'icons'],
    resource: [...previous.fields.resource, 'icons'],
    prompt: [...previous.fields.prompt, 'icons'],
  },
  dialectNamed: true,
  taskSupport: 'in-execution',
  toldToModel: new Set([...previous.toldToModel, 'invalid-arguments']),
  errors: { ...previous.errors, urlRequired: protocolCodes.urlRequired },
  questions: { form: encodeFullForm, url: 'with-id', modes: true, sampling: encodeToolSampling, samplingTools: true },
  tasks: 'on-request',
  http: { ...previous.http, priming: true, onlyOlder: '400, 404, 405' },
}
