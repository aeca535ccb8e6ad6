// The resources of upstreams keep their URIs, because links in results lead to them. A URI that two upstreams list is read from neither. A
// URI that one upstream lists, or may list, is not read through a template of another. A URI that matches templates of two is refused.
import { type Context, type Resource, type Template, template } from 'toolwire'
import { ResourceMissing } from 'toolwire/client'
import type { types } from 'toolwire/relay'
import { argumentCompleter } from '../../relay/complete-argument.js'
import { relayCall } from '../../relay/relay-call.js'
import { protocolErrorOf } from '../../relay/upstream-errors.js'
import type { Upstream } from '../../upstreams/upstream.js'
import { exposedName } from '../names/exposed-name.js'
import type { UpstreamCatalog } from '../upstream-catalog.js'
import { listedCandidates, upstreamMembers, withheldListed } from './listed-candidates.js'
import { type Aggregate, type DefinitionContext, type Memoize, settleEntries } from './settle-names.js'

type Entry = Resource | Template
type ListedTemplate = UpstreamCatalog['templates'][number]
type ListedResource = UpstreamCatalog['resources'][number]

/** Limit for one upstream, because each requested URI is matched against all templates. */
const mostTemplates = 1_000

export const aggregateResources: Aggregate<Entry> = (all, making, memo) => {
  function* candidatesOf(upstreamCatalog: UpstreamCatalog, memoize: Memoize<Entry>) {
    const { upstream, resources, templates } = upstreamCatalog
    const called = (name: unknown, own: string) => exposedName(upstream.config.prefix, typeof name === 'string' ? name : own)
    const readResource = (listed: ListedResource) => {
      const { uri: own, name } = listed
      if (typeof own !== 'string') return undefined
      const make = () => resourceOf(upstream, listed, making)
      return { kind: 'resource', own, called: called(name, own), exposed: own, make } as const
    }
    const readTemplate = (listed: ListedTemplate) => {
      const { uriTemplate: own, name } = listed
      if (typeof own !== 'string') return undefined
      const make = () => templateOf(upstream, listed, making)
      return { kind: 'template', own, called: called(name, own), exposed: `template ${own}`, make } as const
    }
    yield* listedCandidates<ListedResource, Entry>(upstreamCatalog, resources, { making, memoize, read: readResource })
    const offered = templates.slice(0, mostTemplates)
    yield* listedCandidates<ListedTemplate, Entry>(upstreamCatalog, offered, { making, memoize, read: readTemplate })
    if (offered.length === templates.length) return
    const why = `${upstream.id} lists ${templates.length} templates, and the first ${mostTemplates} are offered`
    yield withheldListed(upstream, { kind: 'template', own: 'further templates', why })
  }
  return settleEntries({ all, kind: 'resources', memo, candidatesOf })
}

function resourceOf(upstream: Upstream, listed: ListedResource, making: DefinitionContext): Resource {
  // For a missing resource, the library responds in the form of the caller's revision.
  const read = (ctx: Context) => readAt(listed.uri, ctx, { upstream, making }) as Promise<types.ReadResult>
  return { kind: 'resource', definition: { ...resourceMembers(upstream, listed), uri: listed.uri, read } }
}

function templateOf(upstream: Upstream, listed: ListedTemplate, making: DefinitionContext): Template {
  const { uriTemplate } = listed
  const read = (_: unknown, ctx: Context, uri: string) => readAt(uri, ctx, { upstream, making })
  template({ uriTemplate, read }) // throws for an invalid template, or one that takes too long to match
  const suggested = (name: string) => argumentCompleter(upstream, { type: 'ref/resource', uri: uriTemplate }, name)
  const complete = Object.fromEntries(variablesOf(uriTemplate).map((name) => [name, suggested(name)]))
  const excludes = (uri: string) => making.listedUris.mayBeOthers(uri, upstream.id)
  return { kind: 'template', definition: { ...resourceMembers(upstream, listed), uriTemplate, complete, excludes, read } }
}

/** With a login for each caller, the gateway's own login could watch what a caller may not see. */
const resourceMembers = (upstream: Upstream, listed: ListedResource | ListedTemplate) => ({
  ...upstreamMembers(upstream, listed),
  watchable: !upstream.isPerCaller,
})

/** The variables of a template. RFC 6570: an operator, and names with their modifiers. */
const variablesOf = (uriTemplate: string): string[] =>
  [...uriTemplate.matchAll(/\{[+#./;?&]?([^{}]*)\}/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.replace(/(?:\*|:\d+)$/, '')),
  )

type Source = { readonly upstream: Upstream; readonly making: DefinitionContext }

async function readAt(uri: string, ctx: Context, { upstream, making }: Source): Promise<types.ReadResult | undefined> {
  const end = await relayCall(ctx, making.suspendedCalls, {
    upstream,
    params: uri,
    async ask(client, options) {
      await options.beforeSend()
      return client.readResource(uri, options)
    },
  })
  if (end.kind === 'end') return end.value
  if (end.why instanceof ResourceMissing) return undefined
  throw protocolErrorOf(end.why, upstream.id)
}
