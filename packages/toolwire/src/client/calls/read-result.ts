import { isObject, type Json, type JsonObject } from '../../json.js'
import type { Revision } from '../../revisions/revision.js'
import type { CallResult } from '../../tools/call-result.js'
import type { Content } from '../../tools/content.js'
import { CallFailure, failedResult, InvalidResult } from '../errors.js'
import type { KnownTool } from './known-tool.js'

/** Reads a result, and checks its structured value against the schema that the tool was listed with. */
export function readResult(result: JsonObject, tool: KnownTool | undefined, revision: Revision): CallResult {
  const content = contentIn(result)
  const read: CallResult = { content, isError: result.isError === true }
  if (isObject(result._meta)) read._meta = result._meta
  if (!hasStructured(result, revision)) return complete(read, tool)
  const structured = result.structuredContent as Json // hasStructured has checked it
  const misfit = read.isError ? undefined : tool?.misfitOfResult(structured)
  if (misfit === undefined && !isPlaceholder(structured, tool, revision)) return { ...read, structuredContent: structured }
  if (isPlaceholder(structured, tool, revision) && content.length > 0) return read
  throw invalid(tool, misfit ?? 'it is empty')
}

/** Some servers send structured content in revisions that lack it. An object is accepted all the same. */
const hasStructured = ({ structuredContent }: JsonObject, { structured }: Revision): boolean =>
  structured === 'any' ? structuredContent !== undefined : isObject(structuredContent)

/** Some older servers send an empty object if they have no structured content. */
function isPlaceholder(structured: Json, tool: KnownTool | undefined, { structured: kinds }: Revision): boolean {
  if (kinds === 'any' || !isObject(structured) || Object.keys(structured).length > 0) return false
  return tool?.outputSchema === undefined || tool.misfitOfResult(structured) !== undefined
}

/** A successful result must have structured content if the tool declares an output schema. */
function complete(read: CallResult, tool: KnownTool | undefined): CallResult {
  if (tool?.outputSchema !== undefined && !read.isError) throw invalid(tool, 'it is missing')
  return read
}

const invalid = (tool: KnownTool | undefined, why: string): InvalidResult =>
  new InvalidResult(
    failedResult(`The result of ${tool?.name ?? 'the tool'} does not fit its output schema and was not used: ${why}`),
  )

function contentIn({ content, structuredContent }: JsonObject): Content[] {
  if (content === undefined && structuredContent !== undefined) return []
  if (!Array.isArray(content)) throw new CallFailure('bad_response', 'The result of the call has no content')
  return content.map(blockOf)
}

const texts: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource_link: ['uri'],
}

/** Checks the members of a known kind of block. Unknown kinds are kept as they are. */
function blockOf(block: Json): Content {
  if (!isObject(block) || typeof block.type !== 'string') return broken('content')
  const isWhole = block.type === 'resource' ? isResource(block.resource) : hasTexts(block, membersOf(block.type))
  // Known kinds have been checked; other kinds pass through unread.
  return isWhole ? (block as unknown as Content) : broken(block.type)
}

const membersOf = (type: string): readonly string[] => (Object.hasOwn(texts, type) ? (texts[type] ?? []) : [])

const hasTexts = (block: JsonObject, members: readonly string[]): boolean =>
  members.every((member) => typeof block[member] === 'string')

const isResource = (resource: Json | undefined): boolean =>
  isObject(resource) &&
  typeof resource.uri === 'string' &&
  (typeof resource.text === 'string' || typeof resource.blob === 'string')

const broken = (what: string): Content => ({ type: 'text', text: `[malformed ${what}]` })
