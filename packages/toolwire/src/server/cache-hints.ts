// Members that some revisions add to every result.
import type { JsonObject } from '../json.js'
import { metaKeys, metaOf } from '../revisions/meta-keys.js'
import type { Revision } from '../revisions/revision.js'
import type { App } from './app.js'

/** The lifetime of lists and resources in caches, and whether one copy may serve all callers. */
export type CacheHints = { readonly ttlMs: number; readonly scope: 'public' | 'private' }

type StampedResult = { readonly shared: boolean; readonly revision: Revision }

const cacheable: ReadonlySet<string> = new Set(
  'server/discover tools/list prompts/list resources/list resources/templates/list resources/read'.split(' '),
)

/** `shared`: the result is the same for all callers, so it may be public if the server allows that. */
export function stampResult(result: JsonObject, method: string, app: App, { revision, shared }: StampedResult): JsonObject {
  const { resultType, serverInfo } = revision.stamp
  const { cache } = app.settings
  if (resultType !== undefined) result.resultType ??= resultType
  if (revision.cacheHints && result.resultType === resultType && cacheable.has(method)) {
    result.ttlMs = cache.ttlMs
    result.cacheScope = shared || (method === 'server/discover' && isSameForAll(app)) ? cache.scope : 'private'
  }
  const named = serverInfo ? app.serverInfo(revision) : undefined
  if (named) result._meta = { ...metaOf(result), [metaKeys.serverInfo]: named }
  return revision.finish ? revision.finish(result, method) : result
}

/** Instructions that are made from the tools differ between callers who see different tools. */
const isSameForAll = ({ settings, catalog }: App): boolean => !settings.instructsByTools || catalog.showsAllTools
