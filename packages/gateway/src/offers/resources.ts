// The resources of upstreams, under their own URIs: links in results lead to them. A URI that two upstreams list is read from neither,
// one that an upstream lists is not read through a template of another, and one that templates of two upstreams have is refused.
import { type Context, DefinitionError, type Readable, type Resource, type Template, template } from 'toolwire'
import { ResourceMissing } from 'toolwire/client'
import type { Upstream } from '../upstreams/upstream.js'
import { callerMade } from './caller-made.js'
import { arrived } from './came-by.js'
import { completing } from './completing.js'
import type { Holdings } from './holdings.js'
import { longestMs } from './longest.js'
import type { Memo } from './memo.js'
import { exposedName } from './names.js'
import { type Candidate, type Making, type Offered, settle, whose, whyWaiting } from './offered.js'
import { relay } from './relay.js'
import { errorOf } from './told.js'

type Entry = Resource | Template

/** Templates of one upstream: each URI that somebody asks for is matched against all of them. */
const mostTemplates = 1_000
const longestName = 128

export function offeredResources(all: readonly Holdings[], making: Making, memo: Memo<Entry>): Offered<Entry> {
  making.claims.take(all)
  return memo.anew((same) => {
    const withheld: Offered<Entry>['withheld'][number][] = []
    const wanted = ({ config }: Upstream, name: unknown) => making.wanted(exposedName(config.prefix, String(name)))
    const fixed = all.flatMap((holdings) =>
      holdings.resources.flatMap((one): Candidate<Entry>[] => {
        const { upstream } = holdings
        const listed = arrived(one, holdings, making.here)
        if (!listed) return []
        const { uri, name } = listed
        if (typeof uri !== 'string' || !wanted(upstream, name)) return []
        const definition = same(`${upstream.id} ${uri}`, listed, () => resourceOf(upstream, listed, making))
        if (!making.isOpen({ made: definition, ...whose(upstream), kind: 'resource', name: uri, definition: listed })) {
          withheld.push({ upstream: upstream.id, kind: 'resources', name: uri.slice(0, longestName), why: whyWaiting })
          return []
        }
        return [{ upstream, name: uri, exposed: uri, definition }]
      }),
    )
    for (const { upstream, templates } of all.filter((one) => one.templates.length > mostTemplates)) {
      const why = `${upstream.id} lists ${templates.length} templates, and the first ${mostTemplates} are offered`
      withheld.push({ upstream: upstream.id, kind: 'resources', name: 'further templates', why })
    }
    const templates = all.flatMap((holdings) =>
      holdings.templates.slice(0, mostTemplates).flatMap((one): Candidate<Entry>[] => {
        const { upstream } = holdings
        const listed = arrived(one, holdings, making.here)
        if (!listed) return []
        const { uriTemplate, name } = listed
        if (typeof uriTemplate !== 'string' || !wanted(upstream, name)) return []
        try {
          const definition = same(`${upstream.id} template ${uriTemplate}`, listed, () => templateOf(upstream, listed, making))
          if (!making.isOpen({ made: definition, ...whose(upstream), kind: 'template', name: uriTemplate, definition: listed })) {
            withheld.push({ upstream: upstream.id, kind: 'resources', name: uriTemplate.slice(0, longestName), why: whyWaiting })
            return []
          }
          return [{ upstream, name: uriTemplate, exposed: `template ${uriTemplate}`, definition }]
        } catch (thrown) {
          if (!(thrown instanceof DefinitionError)) throw thrown
          withheld.push({
            upstream: upstream.id,
            kind: 'resources',
            name: uriTemplate.slice(0, longestName),
            why: thrown.message,
          })
          return []
        }
      }),
    )
    const offered = [settle(fixed, 'resources'), settle(templates, 'resources')]
    return {
      entries: offered.flatMap(({ entries }) => entries),
      withheld: [...withheld, ...offered.flatMap((one) => one.withheld)],
    }
  })
}

function resourceOf(upstream: Upstream, listed: Holdings['resources'][number], { lot }: Making): Resource {
  // Gone or never there: the server says so in the words of the caller's edition.
  const read = (ctx: Context) => reading(upstream, listed.uri, { ctx, lot }) as Promise<Readable>
  return { kind: 'resource', definition: { ...listed, timeout: longestMs(upstream), foreign: true, server: upstream.id, read } }
}

function templateOf(upstream: Upstream, listed: Holdings['templates'][number], { lot, claims }: Making): Template {
  const { uriTemplate } = listed
  const read = (_: unknown, ctx: Context, uri: string) => reading(upstream, uri, { ctx, lot })
  template({ uriTemplate, read }) // throws when it is no template, or one that takes too long to match
  const suggested = (name: string) => completing(upstream, { type: 'ref/resource', uri: uriTemplate }, name)
  const complete = Object.fromEntries(variablesOf(uriTemplate).map((name) => [name, suggested(name)]))
  const excludes = (uri: string) => claims.isOfOthers(uri, upstream.id)
  const about = { timeout: longestMs(upstream), foreign: true, server: upstream.id }
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
  { ctx, lot }: { ctx: Context; lot: Making['lot'] },
): Promise<Readable | undefined> {
  const begin = () => upstream.park(callerMade(ctx), (client, parking) => client.readResource(uri, parking))
  const end = await relay(ctx, lot, { begin, server: upstream.id })
  if (end.kind === 'end') return end.value
  if (end.why instanceof ResourceMissing) return undefined
  throw errorOf(end.why, upstream.id)
}
