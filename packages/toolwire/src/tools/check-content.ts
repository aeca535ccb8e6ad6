// What a block of content, and what is said about one, must be like before it may go on the wire.
import type {
  Annotations,
  AudioContent,
  Content,
  EmbeddedResource,
  Icon,
  ImageContent,
  ResourceContents,
  ResourceLink,
  TextContent,
} from './content.js'
import { fault } from './fault.js'

const types: readonly Content['type'][] = ['text', 'image', 'audio', 'resource_link', 'resource']

/** Throws when a block is not one that may go on the wire. */
export function checkContent(block: Content): void {
  if (!types.includes(block?.type)) throw fault(`A content block needs a type, one of ${types.join(', ')}`)
  checks[block.type](block as never) // the table pairs each type with its own check
  if (block.annotations) checkAnnotations(block.annotations)
}

const checks = {
  text: (block: TextContent) => demand(typeof block.text === 'string', 'A text block needs `text`, a string'),
  image: checkMedia,
  audio: checkMedia,
  resource_link: checkLink,
  resource: (block: EmbeddedResource) => checkContents(block.resource),
} satisfies Record<Content['type'], (block: never) => void>

function checkMedia(block: ImageContent | AudioContent): void {
  demand(
    typeof block.mimeType === 'string' && block.mimeType.includes('/'),
    `An ${block.type} block needs a \`mimeType\` such as ${block.type}/*`,
  )
  demand(
    isBase64(block.data),
    `The \`data\` of an ${block.type} block must be standard base64 (give reply.${block.type} the bytes to have them encoded)`,
  )
  const actual = signatures.find(([start]) => block.data.startsWith(start))?.[1]
  const claimed = block.mimeType.toLowerCase()
  demand(!actual || claimed === actual, `The \`mimeType\` says ${claimed}, but the bytes are those of ${actual}`)
}

/** How files of common types begin, in base64. */
const signatures = [
  ['iVBORw0KGg', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGODdh', 'image/gif'],
  ['R0lGODlh', 'image/gif'],
] as const

function checkLink(block: ResourceLink): void {
  checkUri(block.uri)
  demand(typeof block.name === 'string', 'A resource link needs a `name`')
}

export function checkContents(contents: ResourceContents): void {
  checkUri(contents?.uri)
  const given = Number('text' in contents) + Number('blob' in contents)
  demand(given === 1, `The resource ${contents.uri} needs exactly one of \`text\` and \`blob\``)
  if ('blob' in contents) demand(isBase64(contents.blob), `The \`blob\` of ${contents.uri} must be standard base64`)
}

export function checkUri(uri: unknown): asserts uri is string {
  // RFC 3986: a scheme starts with a letter; controls and spaces are never part of a URI.
  demand(
    typeof uri === 'string' && /^[A-Za-z][A-Za-z0-9+.-]*:[^\s\u0000-\u001f\u007f]*$/.test(uri),
    'A resource needs an absolute `uri` such as file:///notes.txt',
  )
}

export function checkAnnotations({ audience, priority, lastModified }: Annotations): void {
  if (audience)
    demand(
      audience.every((who) => who === 'user' || who === 'assistant'),
      "annotations.audience may hold 'user' and 'assistant'",
    )
  if (priority !== undefined) demand(priority >= 0 && priority <= 1, 'annotations.priority must lie between 0 and 1')
  if (lastModified !== undefined) demand(isTimestamp(lastModified), 'annotations.lastModified must be an ISO 8601 timestamp')
}

export function checkIcons(icons: readonly Icon[]): void {
  for (const { src, sizes } of icons) {
    demand(/^(https:|data:image\/)/.test(src), `An icon's src must be an https: or data: URI, not "${src.slice(0, 40)}"`)
    demand(
      !sizes || (Array.isArray(sizes) && sizes.every((size) => /^(\d+x\d+|any)$/.test(size))),
      "An icon's sizes are like ['48x48'] or ['any']",
    )
  }
}

const isTimestamp = (text: string) => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text))
const isBase64 = (text: unknown) => typeof text === 'string' && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)

function demand(holds: boolean, otherwise: string): void {
  if (!holds) throw fault(otherwise)
}
