import type { JsonObject } from 'toolwire'
import { objectsIn } from '../json.js'
import { resultOf, type Session } from './session.js'

/** One page of the list of tools. */
export type ToolsPage = { readonly result: JsonObject; readonly tools: readonly JsonObject[] }

const maxPages = 200

/** Follows the cursors from the first page to the last. */
export async function listPages(session: Session): Promise<ToolsPage[]> {
  const pages: ToolsPage[] = []
  let cursor: string | undefined
  do {
    const { response } = await session.ask('tools/list', cursor === undefined ? {} : { cursor })
    const result = resultOf(response)
    if (!result) break
    pages.push({ result, tools: objectsIn(result.tools) })
    // Before the newest edition an empty cursor ended the list for many.
    cursor = typeof result.nextCursor === 'string' && result.nextCursor !== '' ? result.nextCursor : undefined
  } while (cursor !== undefined && pages.length < maxPages)
  return pages
}
