import { isObject, type JsonObject } from '../../json.js'
import type { PromptArgument, ReadyPrompt } from '../../tools/prompt.js'
import type { ReadyResource, ReadyTemplate } from '../../tools/resource.js'
import type { Revision } from '../revision.js'
import { pickMembers } from './pick-members.js'

export function encodeResource({ name, definition }: ReadyResource | ReadyTemplate, to: Revision): JsonObject {
  const entry = pickMembers({ name, ...definition }, to.fields.resource)
  if (isObject(entry.annotations)) entry.annotations = pickMembers(entry.annotations, to.fields.annotations)
  return entry
}

export function encodePrompt({ name, definition }: ReadyPrompt, to: Revision): JsonObject {
  const encoded = ([name, argument]: [string, PromptArgument]) => pickMembers({ name, ...argument }, to.fields.argument)
  const args = Object.entries(definition.args ?? {}).map(encoded)
  return pickMembers({ name, ...definition, ...(args.length > 0 && { arguments: args }) }, to.fields.prompt)
}
