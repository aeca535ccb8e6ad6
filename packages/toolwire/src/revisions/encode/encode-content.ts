// Encoders of content blocks, from which each revision's table picks.
import { isObject, type JsonObject } from '../../json.js'
import type { AudioContent, Content, ContentMetadata, ResourceContents, ResourceLink } from '../../tools/content.js'
import type { Revision } from '../revision.js'
import { asJson, pickMembers } from './pick-members.js'

export const blockAsIs = (block: Content): JsonObject => asJson(block)

/** Audio as a blob, for revisions without audio. */
export const audioAsResource = (block: AudioContent & ContentMetadata): JsonObject => ({
  type: 'resource',
  resource: { uri: 'toolwire:audio', mimeType: block.mimeType, blob: block.data },
  ...about(block),
})

/** A resource link as text, for revisions without links. */
export const linkAsText = (block: ResourceLink): JsonObject => ({
  type: 'text',
  text: `${block.title ?? block.name}: ${block.uri}${block.description ? `\n${block.description}` : ''}`,
  ...about(block),
})

export function encodeContent(block: Content, to: Revision): JsonObject {
  if (block.type === 'text' && !block.annotations && !block._meta) return asJson(block)
  if (!Object.hasOwn(to.blocks, block.type)) return unknown(block)
  return trim(to.blocks[block.type](block as never), to) // the table pairs each type with its encoder
}

/** Relays a block of an unknown kind unchanged, but refuses values that are no block. */
function unknown(block: Content): JsonObject {
  if (!isObject(block as unknown) || typeof block.type !== 'string')
    throw new TypeError('A result contains an item that is not a content block')
  return asJson(block)
}

export const encodeContents = (contents: ResourceContents, to: Revision): JsonObject => withoutLater(asJson(contents), to)

/** Removes members of later revisions from a block and from the resource in it. */
function trim(block: JsonObject, to: Revision): JsonObject {
  const kept = withoutLater(block, to)
  if (isObject(kept.resource)) kept.resource = withoutLater(kept.resource, to)
  return kept
}

/** Members that only some revisions have. Members that no revision has are relayed unchanged. */
const added = ['title', 'icons'] as const

function withoutLater(value: JsonObject, to: Revision): JsonObject {
  const { annotations, _meta, ...kept } = value
  for (const member of added) if (member in kept && !to.fields.resource.includes(member)) delete kept[member]
  if (isObject(annotations)) kept.annotations = pickMembers(annotations, to.fields.annotations)
  if (_meta && to.blockMeta) kept._meta = _meta
  return kept
}

const about = ({ annotations, _meta }: ContentMetadata): JsonObject => ({
  ...(annotations && { annotations: asJson(annotations) }),
  ...(_meta && { _meta }),
})
