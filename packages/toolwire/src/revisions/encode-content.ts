// One block of content, in the words of an edition. Each edition's table picks from these.
import type { JsonObject } from '../json.js'
import type { About, AudioContent, Content, EmbeddedResource, ResourceLink } from '../tools/content.js'
import type { Revision } from './revision.js'

/** Blocks hold nothing but JSON; the compiler cannot see it because their arrays are read-only. */
const plain = (block: object): JsonObject => block as JsonObject

/** The block is the same on the wire. */
export const asIs = (block: Content): JsonObject => plain(block)

/** An edition without audio still has blobs. */
export const audioAsResource = (block: AudioContent & About): JsonObject => ({
  type: 'resource',
  resource: { uri: 'toolwire:audio', mimeType: block.mimeType, blob: block.data },
  ...about(block),
})

/** An edition without links can still be told the address. */
export const linkAsText = (block: ResourceLink): JsonObject => ({
  type: 'text',
  text: `${block.title ?? block.name}: ${block.uri}${block.description ? `\n${block.description}` : ''}`,
  ...about(block),
})

/** An edition in which resources carry no icons. */
export function linkWithoutIcons(block: ResourceLink): JsonObject {
  const { icons: _, ...rest } = block
  return plain(rest)
}

export function encodeContent(block: Content, to: Revision): JsonObject {
  if (block.type === 'text' && !block.annotations && !block._meta) return plain(block)
  return trim(to.blocks[block.type](block as never), to) // the table pairs each type with its encoder
}

/** Removes what the edition does not define around a block. */
function trim(block: JsonObject, to: Revision): JsonObject {
  const { annotations, _meta, ...rest } = block as JsonObject & About
  const kept: JsonObject = rest
  if (annotations) kept.annotations = pick(annotations, to.annotationFields)
  if (_meta && to.blockMeta) kept._meta = _meta
  if (rest.type === 'resource' && !to.blockMeta) kept.resource = withoutMeta((block as unknown as EmbeddedResource).resource)
  return kept
}

export function withoutMeta(value: object): JsonObject {
  const { _meta: _, ...rest } = value as JsonObject
  return rest
}

const about = ({ annotations, _meta }: About): JsonObject => ({
  ...(annotations && { annotations: annotations as JsonObject }),
  ...(_meta && { _meta }),
})

/** Keeps the listed keys, so that a field newer than the peer never reaches it. */
export function pick(value: object, keys: readonly string[]): JsonObject {
  const source = value as JsonObject
  const kept: JsonObject = {}
  for (const key of keys) if (source[key] !== undefined) kept[key] = source[key]
  return kept
}
