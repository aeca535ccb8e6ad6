// Prompts, resources and templates of an upstream that may be offered.
import { DefinitionError } from 'toolwire'
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

/** Members that every definition from an upstream gets in addition to its own. */
export const upstreamMembers = (upstream: Upstream) => ({
  timeout: requestTimeoutMs(upstream),
  foreign: true,
  server: upstream.id,
})
