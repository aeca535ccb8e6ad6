import { isObject } from '../../json.js'
import { capped, cut } from '../../text/cut.js'
import type { CallResult } from '../../tools/call-result.js'
import { mediaPart } from './media-part.js'
import { type OutcomePart, textPart } from './model-outcome.js'

type BlockAnnotations = { readonly forUserOnly: boolean; readonly priority: number }

const usualPriority = 0.5

/**
 * Reads the annotations of a block. For an embedded resource, the published examples put them within `resource`, and the schema beside
 * it. Both are read, and those of the block win. https://modelcontextprotocol.io/specification/2026-07-28/server/tools#embedded-resources
 */
function blockAnnotationsOf(block: Readonly<Record<string, unknown>>): BlockAnnotations {
  const within = isObject(block.resource) && isObject(block.resource.annotations) ? block.resource.annotations : {}
  const { audience, priority } = { ...within, ...(isObject(block.annotations) ? block.annotations : {}) }
  return {
    forUserOnly: Array.isArray(audience) && audience.length > 0 && audience.every((who) => who === 'user'),
    priority: typeof priority === 'number' && priority >= 0 && priority <= 1 ? priority : usualPriority,
  }
}

export type ReadBlock = BlockAnnotations & { readonly part: OutcomePart }
type Block = Readonly<Record<string, unknown>>
type Shows = (mediaType: string) => boolean

/** Reads a result block by block. Blocks are checked again, because one invalid block must not break the conversation. */
export function readBlocks(result: CallResult, shows: Shows): ReadBlock[] {
  const content: readonly unknown[] = Array.isArray(result.content) ? result.content : []
  const blocks = content.filter((block): block is Block => isObject(block))
  const read = blocks.map((block) => ({ ...blockAnnotationsOf(block), part: partOf(block, shows) }))
  const says = blocks.some(({ type }) => type === 'text' || type === 'resource')
  if (says || result.structuredContent === undefined) return read
  // Servers should write structured content as text, too; this one did not.
  return [...read, { forUserOnly: false, priority: 1, part: textPart(JSON.stringify(result.structuredContent)) }]
}

function partOf(block: Block, shows: Shows): OutcomePart {
  const read = Object.hasOwn(readers, String(block.type)) ? readers[String(block.type)] : undefined
  return read?.(block, shows) ?? textPart(`[unsupported content: ${word(block.type)}]`)
}

const readers: Readonly<Record<string, (block: Block, shows: Shows) => OutcomePart | undefined>> = {
  text: ({ text }) => (typeof text === 'string' ? textPart(text) : undefined),
  image: ({ data, mimeType }, shows) => mediaPart(data, mimeType, shows),
  audio: ({ data, mimeType }, shows) => mediaPart(data, mimeType, shows),
  resource_link: linkPart,
  resource: ({ resource }, shows) => (isObject(resource) ? resourcePart(resource, shows) : undefined),
}

/** A link is named and never followed, so that its author cannot choose what we fetch. */
function linkPart(block: Block): OutcomePart | undefined {
  if (typeof block.uri !== 'string') return undefined
  const title = line(block.title) || line(block.name) || 'resource'
  const about = line(block.description)
  return textPart(`[link: ${title} <${line(block.uri)}>${about && ` – ${about}`}]`)
}

function resourcePart(resource: Block, shows: Shows): OutcomePart | undefined {
  if (typeof resource.text === 'string') return textPart(`[resource ${line(resource.uri)}]\n${resource.text}`)
  if (typeof resource.blob === 'string') return mediaPart(resource.blob, resource.mimeType ?? 'application/octet-stream', shows)
  return undefined
}

const longestLine = 1_024
/** Hidden characters are removed by `trimBlocks`, which limits the work for all blocks together. */
const line = (text: unknown) =>
  typeof text === 'string'
    ? capped(
        cut(text, longestLine * 2)
          .replaceAll(/\s+/g, ' ')
          .trim(),
        longestLine,
      )
    : ''
const word = (text: unknown) => capped(line(text), 40) || 'unknown'
