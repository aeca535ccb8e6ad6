// What every result carries besides its own members, in the revisions that say so.
import type { JsonObject } from '../json.js'
import { metaKeys, metaOf } from '../revisions/meta-keys.js'
import type { Revision } from '../revisions/revision.js'
import type { App } from './app.js'

/** How long clients may keep lists and readings, and whether a copy may serve everybody. */
export type CacheHints = { readonly ttlMs: number; readonly scope: 'public' | 'private' }

type StampedResult = { readonly shared: boolean; readonly revision: Revision }

const cacheable: ReadonlySet<string> = new Set(
  'server/discover tools/list prompts/list resources/list resources/templates/list resources/read'.split(' '),
)

/** `shared`: the result is the same for everybody, so it may say that it is public if the server wants it to be. */
export function stampResult(result: JsonObject, method: string, app: App, { revision, shared }: StampedResult): JsonObject {
  const { resultType, serverInfo } = revision.stamp
  const { cache } = app.settings
  if (resultType !== undefined) result.resultType ??= resultType
  if (revision.cacheHints && result.resultType === resultType && cacheable.has(method)) {
    result.ttlMs = cache.ttlMs
    result.cacheScope = shared || method === 'server/discover' ? cache.scope : 'private'
  }
  const named = serverInfo ? app.serverInfo(revision) : undefined
  if (named) result._meta = { ...metaOf(result), [metaKeys.serverInfo]: named }
  return revision.finish ? revision.finish(result, method) : result
}
