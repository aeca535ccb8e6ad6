// Prompts, resources and templates of an upstream that may be offered.
import { DefinitionError, type Json, type JsonObject } from 'toolwire'
import { isObject } from '../../json/is-object.js'
import { requestTimeoutMs } from '../../relay/request-timeout.js'
import type { Upstream } from '../../upstreams/upstream.js'
import type { UpstreamCatalog } from '../upstream-catalog.js'
import { withGatewayPath } from './gateway-loop.js'
import type { CandidateOrWithheld, DefinitionContext, ListedDefinition, Memoize } from './settle-names.js'

/** The parts of a listed definition that decide whether it is offered. */
type ListedReading<D> = {
  readonly kind: ListedDefinition['kind']
  /** Its name or URI at the server. */
  readonly own: string
  /** The name that sets select by. */
  readonly called: string
  /** The key that must be unique across servers. */
  readonly exposed: string
  /** The reason that it cannot be offered, if there is one. */
  readonly why?: string | undefined
  readonly make: () => D
}

type Reading<One, D> = {
  readonly making: DefinitionContext
  readonly memoize: Memoize<D>
  readonly read: (listed: One) => ListedReading<D> | undefined
}

const longestName = 128

export function* listedCandidates<One extends object, D extends object>(
  upstreamCatalog: UpstreamCatalog,
  ones: readonly One[],
  { making, memoize, read }: Reading<One, D>,
): Generator<CandidateOrWithheld<D>> {
  for (const one of ones) {
    const listed = withGatewayPath(one, upstreamCatalog, making.ownGatewayId)
    const reading = listed && read(listed)
    yield reading && candidateOf(listed, reading)
  }

  function candidateOf(definition: One, { kind, own, called, exposed, why, make }: ListedReading<D>): CandidateOrWithheld<D> {
    const { upstream } = upstreamCatalog
    if (why !== undefined) return withheldListed(upstream, { kind, own, why })
    if (!making.isWanted(called)) return undefined
    try {
      const made = memoize(`${upstream.id} ${exposed}`, definition, make)
      const name = kind === 'prompt' ? exposed : own
      if (making.isAccepted({ made, server: upstream.id, serverIdentity: upstream.identity.id, kind, name, definition }))
        return { upstream, name: own, exposed, definition: made }
      return withheldListed(upstream, { kind, own, why: 'its definition waits to be accepted: toolwire pins shows it' })
    } catch (thrown) {
      if (!(thrown instanceof DefinitionError)) throw thrown
      return withheldListed(upstream, { kind, own, why: thrown.message })
    }
  }
}

type Withheld = Pick<ListedReading<unknown>, 'kind' | 'own'> & { readonly why: string }

export const withheldListed = ({ id }: Upstream, { kind, own, why }: Withheld): CandidateOrWithheld<never> =>
  kind === 'prompt'
    ? { upstream: id, kind: 'prompts', name: own, why }
    : { upstream: id, kind: 'resources', name: own.slice(0, longestName), why }

type Check = (value: Json | undefined) => boolean
const isText: Check = (value) => typeof value === 'string'

/** The listed members that callers see. A member of another type could make a client refuse the whole list. */
const shownMembers = new Map(
  Object.entries<Check>({
    ...{ name: isText, title: isText, description: isText, mimeType: isText },
    ...{ annotations: isObject, icons: Array.isArray, size: Number.isFinite, _meta: isObject },
  }),
)

/** The members of every definition from an upstream. Listed members such as `scopes` do not count, because a server may list anything. */
export const upstreamMembers = (upstream: Upstream, listed: JsonObject) => ({
  ...Object.fromEntries(Object.entries(listed).filter(([name, value]) => shownMembers.get(name)?.(value))),
  timeout: requestTimeoutMs(upstream),
  foreign: true,
  server: upstream.id,
})
