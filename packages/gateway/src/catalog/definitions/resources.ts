// The resources of upstreams, under their own URIs: links in results lead to them. A URI that two upstreams list is read from neither,
// one that an upstream lists is not read through a template of another, and one that templates of two upstreams have is refused.
import { type Context, DefinitionError, type Resource, type Template, template } from 'toolwire'
import { ResourceMissing } from 'toolwire/client'
import type { types } from 'toolwire/relay'
import { argumentCompleter } from '../../relay/complete-argument.js'
import { callerRequest } from '../../relay/forwarding.js'
import { relayCall } from '../../relay/relay-call.js'
import { requestTimeoutMs } from '../../relay/request-timeout.js'
import { protocolErrorOf } from '../../relay/upstream-errors.js'
import type { Upstream } from '../../upstreams/upstream.js'
import type { DefinitionMemo } from '../definition-memo.js'
import { exposedName } from '../names/exposed-name.js'
import type { UpstreamCatalog } from '../upstream-catalog.js'
import { withGatewayPath } from './gateway-loop.js'
import {
  candidatesOf,
  type DefinitionContext,
  type SettledEntries,
  serverOfUpstream,
  settleNames,
  type WithheldEntry,
  waitingReason,
} from './settle-names.js'

type Entry = Resource | Template

/** Templates of one upstream: each URI that somebody asks for is matched against all of them. */
const mostTemplates = 1_000
const longestName = 128

/** Of long lists others get their turn meanwhile. */
export async function aggregateResources(
  all: readonly UpstreamCatalog[],
  making: DefinitionContext,
  memo: DefinitionMemo<Entry>,
): Promise<SettledEntries<Entry>> {
  await making.claims.take(all)
  const { same, done } = memo.begin()
  const wanted = ({ config }: Upstream, name: unknown) => making.wanted(exposedName(config.prefix, String(name)))
  const fixed = await candidatesOf<UpstreamCatalog['resources'][number], Entry>(
    all,
    ({ resources }) => resources,
    (one, upstreamCatalog) => {
      const { upstream } = upstreamCatalog
      const listed = withGatewayPath(one, upstreamCatalog, making.ownGatewayId)
      if (!listed) return undefined
      const { uri, name } = listed
      if (typeof uri !== 'string' || !wanted(upstream, name)) return undefined
      const definition = same(`${upstream.id} ${uri}`, listed, () => resourceOf(upstream, listed, making))
      const isOpen = making.isOpen({
        made: definition,
        ...serverOfUpstream(upstream),
        kind: 'resource',
        name: uri,
        definition: listed,
      })
      return isOpen ? { upstream, name: uri, exposed: uri, definition } : keptBack(upstream, uri, waitingReason)
    },
  )
  const templates = await candidatesOf<UpstreamCatalog['templates'][number], Entry>(
    all,
    ({ templates }) => templates.slice(0, mostTemplates),
    (one, upstreamCatalog) => {
      const { upstream } = upstreamCatalog
      const listed = withGatewayPath(one, upstreamCatalog, making.ownGatewayId)
      if (!listed) return undefined
      const { uriTemplate, name } = listed
      if (typeof uriTemplate !== 'string' || !wanted(upstream, name)) return undefined
      try {
        const definition = same(`${upstream.id} template ${uriTemplate}`, listed, () => templateOf(upstream, listed, making))
        const about = {
          made: definition,
          ...serverOfUpstream(upstream),
          kind: 'template',
          name: uriTemplate,
          definition: listed,
        } as const
        if (!making.isOpen(about)) return keptBack(upstream, uriTemplate, waitingReason)
        return { upstream, name: uriTemplate, exposed: `template ${uriTemplate}`, definition }
      } catch (thrown) {
        if (!(thrown instanceof DefinitionError)) throw thrown
        return keptBack(upstream, uriTemplate, thrown.message)
      }
    },
  )
  done()
  const further = all.flatMap(({ upstream, templates }) => {
    if (templates.length <= mostTemplates) return []
    const why = `${upstream.id} lists ${templates.length} templates, and the first ${mostTemplates} are offered`
    return [keptBack(upstream, 'further templates', why)]
  })
  const offered = [settleNames(fixed.candidates, 'resources'), settleNames(templates.candidates, 'resources')]
  return {
    entries: offered.flatMap(({ entries }) => entries),
    withheld: [...fixed.withheld, ...further, ...templates.withheld, ...offered.flatMap(({ withheld }) => withheld)],
  }
}

const keptBack = ({ id }: Upstream, name: string, why: string): WithheldEntry => ({
  upstream: id,
  kind: 'resources',
  name: name.slice(0, longestName),
  why,
})

function resourceOf(
  upstream: Upstream,
  listed: UpstreamCatalog['resources'][number],
  { suspendedCalls: lot }: DefinitionContext,
): Resource {
  // Gone or never there: the server says so in the words of the caller's edition.
  const read = (ctx: Context) => reading(upstream, listed.uri, { ctx, lot }) as Promise<types.ReadResult>
  return {
    kind: 'resource',
    definition: { ...listed, timeout: requestTimeoutMs(upstream), foreign: true, server: upstream.id, read },
  }
}

function templateOf(
  upstream: Upstream,
  listed: UpstreamCatalog['templates'][number],
  { suspendedCalls: lot, claims }: DefinitionContext,
): Template {
  const { uriTemplate } = listed
  const read = (_: unknown, ctx: Context, uri: string) => reading(upstream, uri, { ctx, lot })
  template({ uriTemplate, read }) // throws when it is no template, or one that takes too long to match
  const suggested = (name: string) => argumentCompleter(upstream, { type: 'ref/resource', uri: uriTemplate }, name)
  const complete = Object.fromEntries(variablesOf(uriTemplate).map((name) => [name, suggested(name)]))
  const excludes = (uri: string) => claims.isOfOthers(uri, upstream.id)
  const about = { timeout: requestTimeoutMs(upstream), foreign: true, server: upstream.id }
  return { kind: 'template', definition: { ...listed, ...about, complete, excludes, read } }
}

/** RFC 6570: an operator, and names with their modifiers. */
const variablesOf = (uriTemplate: string): string[] =>
  [...uriTemplate.matchAll(/\{[+#./;?&]?([^{}]*)\}/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.replace(/(?:\*|:\d+)$/, '')),
  )

async function reading(
  upstream: Upstream,
  uri: string,
  { ctx, lot }: { ctx: Context; lot: DefinitionContext['suspendedCalls'] },
): Promise<types.ReadResult | undefined> {
  const begin = () =>
    upstream.beginSuspendable(callerRequest(ctx), (client, suspensibleOptions) => client.readResource(uri, suspensibleOptions))
  const end = await relayCall(ctx, lot, { begin, server: upstream.id })
  if (end.kind === 'end') return end.value
  if (end.why instanceof ResourceMissing) return undefined
  throw protocolErrorOf(end.why, upstream.id)
}
