import { definitionError } from '../tools/checks/definition-error.js'
import type { Authenticate } from '../transports/http/server/options.js'

/** The narrower scopes that each broad scope includes. */
export type ScopeTree = { readonly [broad: string]: readonly string[] }

/**
 * Grants, with every scope, the narrower scopes that it includes. spec 2026-07-28, basic/authorization#step-up-authorization-flow
 *
 * @example
 * ```ts
 * const authenticate = scopeHierarchy({ 'files:write': ['files:read'] }, apiKeys({ store: memoryApiKeys([]) }))
 * ```
 */
export function scopeHierarchy(tree: ScopeTree, authenticate: Authenticate): Authenticate {
  const closed = new Map(Object.keys(tree).map((scope) => [scope, scopesBelow(scope, tree)]))
  const withNarrower: Authenticate = async (request) => {
    const found = await authenticate(request)
    if (!found || 'denied' in found) return found
    return { ...found, scopes: [...new Set(found.scopes.flatMap((scope) => closed.get(scope) ?? [scope]))] }
  }
  return Object.assign(withNarrower, { headers: authenticate.headers })
}

/** The scope itself and all scopes below it; cycles do no harm. */
function scopesBelow(top: string, tree: ScopeTree): readonly string[] {
  const found = new Set([top])
  for (const scope of found) for (const narrower of Object.hasOwn(tree, scope) ? tree[scope]! : []) found.add(narrower)
  if (found.has('*')) throw definitionError(`scopeHierarchy: "${top}" cannot include '*'; name the scopes it includes`)
  return [...found]
}
