// Checks of content blocks and their metadata before they are sent.
import { isObject } from '../../json.js'
import { type Annotations, type Content, type ContentMetadata, type Icon, isBase64, type ResourceContents } from '../content.js'
import { definitionError } from './definition-error.js'

const types: readonly Content['type'][] = ['text', 'image', 'audio', 'resource_link', 'resource']

export function checkContent(block: Content): void {
  if (!types.includes(block?.type)) throw definitionError(`A content block needs a type, one of ${types.join(', ')}`)
  checks[block.type](block as never) // the table pairs each type with its own check
  checkContentMetadata(block)
}

/** Checks the metadata of a block, of a resource in it, and of a resource that was read. */
export function checkContentMetadata({ annotations, _meta, ...rest }: ContentMetadata): void {
  const { mimeType } = rest as { mimeType?: unknown }
  if (annotations !== undefined) checkAnnotations(annotations)
  demand(_meta === undefined || isObject(_meta), '`_meta` must be an object')
  demand(isTextIfAny(mimeType), 'A `mimeType` must be a string such as text/plain')
}

type Block<T> = Extract<Content, { type: T }>

const checks: { readonly [T in Content['type']]: (block: Block<T>) => void } = {
  text: ({ text }) => demand(typeof text === 'string', 'A text block needs `text`, a string'),
  image: checkMedia,
  audio: checkMedia,
  resource_link({ uri, name, title, description, size, icons }) {
    checkUri(uri)
    demand(typeof name === 'string', 'A resource link needs a `name`')
    demand(isTextIfAny(title) && isTextIfAny(description), 'The `title` and the `description` of a resource link must be strings')
    demand(size === undefined || Number.isInteger(size), 'The `size` of a resource link must be a whole number of bytes')
    if (icons !== undefined) checkIcons(icons)
  },
  resource({ resource }) {
    checkContents(resource)
    checkContentMetadata(resource)
  },
}

function checkMedia({ type, data, mimeType }: Block<'image' | 'audio'>): void {
  const hasType = typeof mimeType === 'string' && mimeType.includes('/')
  demand(hasType, `An ${type} block needs a \`mimeType\` such as ${type}/*`)
  const advice = `(give reply.${type} the bytes to have them encoded)`
  demand(isBase64(data), `The \`data\` of an ${type} block must be standard base64 ${advice}`)
  const actual = signatures.find(([start]) => data.startsWith(start))?.[1]
  const claimed = mimeType.toLowerCase()
  demand(!actual || claimed === actual, `The \`mimeType\` says ${claimed}, but the bytes are those of ${actual}`)
}

/** First characters of common image types in base64. */
const signatures = [
  ['iVBORw0KGg', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGODdh', 'image/gif'],
  ['R0lGODlh', 'image/gif'],
] as const

export function checkContents(contents: ResourceContents): void {
  checkUri(contents?.uri)
  const given = Number('text' in contents) + Number('blob' in contents)
  demand(given === 1, `The resource ${contents.uri} needs exactly one of \`text\` and \`blob\``)
  if ('text' in contents) demand(typeof contents.text === 'string', `The \`text\` of ${contents.uri} must be a string`)
  if ('blob' in contents) demand(isBase64(contents.blob), `The \`blob\` of ${contents.uri} must be standard base64`)
}

export function checkUri(uri: unknown): asserts uri is string {
  // RFC 3986: a scheme starts with a letter; controls and spaces are never part of a URI.
  const isAbsolute = typeof uri === 'string' && /^[A-Za-z][A-Za-z0-9+.-]*:[^\s\u0000-\u001f\u007f]*$/.test(uri)
  demand(isAbsolute, 'A resource needs an absolute `uri` such as file:///notes.txt')
}

export function checkAnnotations(annotations: Annotations): void {
  demand(isObject(annotations), '`annotations` must be an object')
  const { audience, priority, lastModified } = annotations
  const areRoles = Array.isArray(audience) && audience.every((who) => who === 'user' || who === 'assistant')
  demand(audience === undefined || areRoles, "annotations.audience may hold 'user' and 'assistant'")
  if (priority !== undefined) demand(isFraction(priority), 'annotations.priority must be a number between 0 and 1')
  if (lastModified !== undefined) demand(isTimestamp(lastModified), 'annotations.lastModified must be an ISO 8601 timestamp')
}

export function checkIcons(icons: readonly Icon[]): void {
  const isList = Array.isArray(icons) && icons.every(isObject)
  demand(isList, "`icons` must be a list such as [{ src: 'https://shop.example/icon.png' }]")
  for (const { src, sizes, mimeType, theme } of icons) {
    demand(/^(https:|data:image\/)/.test(src), `An icon's src must be an https: or data: URI, not "${String(src).slice(0, 40)}"`)
    demand(isTextIfAny(mimeType), "An icon's mimeType must be a string such as image/png")
    demand(theme === undefined || theme === 'light' || theme === 'dark', "An icon's theme must be 'light' or 'dark'")
    const areSizes = Array.isArray(sizes) && sizes.every((size) => /^(\d+x\d+|any)$/.test(size))
    demand(sizes === undefined || areSizes, "An icon's sizes must be like ['48x48'] or ['any']")
  }
}

const isTextIfAny = (value: unknown) => value === undefined || typeof value === 'string'
const isFraction = (value: unknown) => typeof value === 'number' && value >= 0 && value <= 1
const isTimestamp = (text: unknown) =>
  typeof text === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text))

function demand(holds: boolean, otherwise: string): void {
  if (!holds) throw definitionError(otherwise)
}
