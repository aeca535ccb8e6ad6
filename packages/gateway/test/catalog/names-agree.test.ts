// The prediction of the rules for a call equals the gateway's decision, for any names, renamings and pinned arguments.
import * as fc from 'fast-check'
import { jsonSchema, server, tool } from 'toolwire'
import { connect } from 'toolwire/client'
import { ruleParts } from 'toolwire/relay'
import { explain, Rulebook, type RuleSet, rules } from 'toolwire/rules'
import { expect, it } from 'vitest'
import { AggregateServer } from '../../src/catalog/aggregate-server.js'
import { exposedName } from '../../src/catalog/names/exposed-name.js'
import { exposedToolName, type KnownUpstream, toolResolver } from '../../src/catalog/names/named-tools.js'
import type { ToolOverride, UpstreamConfig } from '../../src/config/gateway-config.js'
import { http, listening, upstream } from '../support/upstream-fixture.js'

const input = jsonSchema({ type: 'object', properties: { root: { type: 'string' } } })
const own = ['read', 'write', 'files__read', 'Write'] as const
const ids = ['files', 'other'] as const

const name = fc.constantFrom('read', 'write', 'save', 'files__read', 'files__write', 'files__save', 'f__read', 'Write', 'WRITE')
const condition: fc.Arbitrary<ruleParts.NameCondition> = fc.oneof(
  name,
  fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
  fc.constantFrom('*', 'w*', '*__w*', 're?d', 'files__*', 'other__*'),
  fc.record({ not: fc.record({ enum: fc.uniqueArray(name, { minLength: 1, maxLength: 2 }) }) }),
  fc.record({ pattern: fc.constantFrom('^w', '__read$', '^[^w]', '^(?:read|save)$') }),
)
const about = fc.constantFrom({ root: { under: '/srv' } }, { root: { outside: '/srv' } })
const when = fc.record(
  { server: fc.oneof(fc.constantFrom(...ids, '*', 'f*'), fc.constant(['files', 'other'])), tool: condition, arguments: about },
  { requiredKeys: [] },
)
const sets: fc.Arbitrary<RuleSet> = fc.record({
  default: fc.constantFrom('allow', 'deny', 'ask'),
  rules: fc
    .array(fc.record({ when, decision: fc.constantFrom('allow', 'deny', 'ask') }), { maxLength: 4 })
    .map((all) => all.map((rule, at) => ({ name: `rule ${at}`, ...rule }))),
})
const overrides = fc.dictionary(
  fc.constantFrom(...own),
  fc.record(
    {
      rename: fc.constantFrom('read', 'write', 'save', 'files__read'),
      arguments: fc.constantFrom({ root: '/srv/a' }, { root: '/etc' }),
    },
    { requiredKeys: [] },
  ),
  { maxKeys: 3 },
) as fc.Arbitrary<{ [name: string]: ToolOverride }>
const settings = fc.record({
  files: fc.record({ prefix: fc.constantFrom('files', 'f', 'other'), tools: overrides }),
  other: fc.record({ prefix: fc.constantFrom('o', 'other2'), tools: overrides }),
  alone: fc.boolean(),
})

it("the prediction is right for every name of a tool, by the config alone and by the servers' lists", async () => {
  const executed: string[] = []
  const upstreams = await Promise.all(
    ids.map(async (id) => {
      const tools = Object.fromEntries(
        own.map((one) => [one, tool({ description: one, input, run: () => String(executed.push(`${id} ${one}`)) })]),
      )
      const { url } = await listening(server({ name: id, version: '1.0.0', tools }))
      return upstream(id, http(url))
    }),
  )
  let book = new Rulebook({ rules: [] })
  const inForce = {
    get current() {
      return book
    },
  }
  const offer = new AggregateServer({
    upstreams,
    server: { name: 'gateway', version: '1.0.0', guard: { rateLimit: false, audit: false }, policies: [rules(inForce)] },
  })
  await offer.open()
  await using caller = await connect('http://localhost/mcp', {
    fetch: (request) => offer.server.fetch(request),
    revision: '2026-07-28',
    listFirst: false,
    guard: { audit: false, rateLimit: false, sanitize: false },
    onWarning: () => undefined,
  })

  /** The decision about a call, and the tool that the servers have run. */
  async function done(exposed: string): Promise<{ readonly decision: string; readonly executed: string | undefined }> {
    executed.length = 0
    const words = await caller.call(exposed).then(
      ({ content }) => JSON.stringify(content),
      (thrown: Error) => thrown.message,
    )
    const [what] = executed
    if (what !== undefined) return { decision: 'allow', executed: what }
    return { decision: words.includes('no approver is set up for it') ? 'ask' : 'deny', executed: undefined }
  }

  const looked = { allow: 0, deny: 0, ask: 0 }
  await fc.assert(
    fc.asyncProperty(sets, settings, async (set, { alone, ...given }) => {
      book = new Rulebook(set)
      const used = alone ? upstreams.slice(0, 1) : upstreams
      for (const one of used) {
        const { prefix, tools } = given[one.id as 'files' | 'other']
        one.config = { ...one.config, prefix: alone ? false : prefix, tools } as UpstreamConfig
      }
      offer.use({ upstreams: used })
      await offer.made()
      const offered = new Set(offer.server.tools.names)
      const taken = new Set(offer.withheld.map(({ upstream, name }) => `${upstream} ${name}`))
      const listed: KnownUpstream[] = used.map(({ config }) => ({ config, tools: own.map((name) => ({ name })) }))
      const configured: KnownUpstream[] = used.map(({ config }) => ({ config, tools: undefined }))
      const does = new Map<string, Awaited<ReturnType<typeof done>>>()
      for (const exposed of offered) does.set(exposed, await done(exposed))
      for (const { config } of used)
        for (const one of own) {
          if (taken.has(`${config.id} ${one}`)) continue
          for (const known of [listed, configured]) {
            const toolsFor = toolResolver(known)
            const exposed = exposedToolName(config, one)
            if (!offered.has(exposed)) throw new Error(`${one} is not offered`)
            // If two tools want one name, only the servers' lists decide which has it.
            const isWanted = own.filter((other) => exposedToolName(config, other) === exposed).length > 1
            if (known === configured && isWanted) continue
            const real = does.get(exposed)
            for (const call of [{ server: config.id, tool: one }, { server: config.id, tool: exposed }, { tool: exposed }]) {
              const tools = toolsFor(call)
              if (typeof tools === 'string') throw new Error(tools)
              const meant = tools.filter(({ server: id, ownName }) => id === config.id && ownName === one)
              // By the config alone, a name with the prefix is an exposed one.
              const isAnothers = own.some((other) => other !== one && exposedToolName(config, other) === call.tool)
              if (known === configured && meant.length === 0 && isAnothers) continue
              expect(meant, `${JSON.stringify(call)} of ${one}`).toHaveLength(1)
              for (const about of meant) {
                // Only the server's list tells what else has this name.
                if (known === configured && about.shadowed !== isShadowed(listed, config.id, one)) continue
                const { decision } = explain(book, ruleParts.callToTool(call, about))
                expect([call, one, decision]).toEqual([call, one, real?.decision])
                if (real?.decision === 'allow') expect(real.executed).toBe(`${config.id} ${one}`)
                looked[decision]++
              }
            }
          }
        }
    }),
    { numRuns: 120 },
  )
  for (const count of Object.values(looked)) expect(count).toBeGreaterThan(200)
  offer.close()
})

it('the names of an upstream are computed once for many calls', () => {
  let computed = 0
  const config = {
    id: 'files',
    tools: {},
    get prefix() {
      computed++
      return 'files'
    },
  }
  const names = Array.from({ length: 100 }, (_, at) => `read ${at}`)
  const toolsFor = toolResolver([{ config, tools: names.map((name) => ({ name })) }])
  for (const name of names) expect(toolsFor({ tool: exposedName('files', name) })).toMatchObject([{ ownName: name }])
  expect(toolsFor({ tool: 'files__nothing' })).toMatch('there is no tool')
  // Once for the search, and once for the found tool.
  expect(computed).toBe(2 * names.length)
})

function isShadowed(listed: readonly KnownUpstream[], server: string, name: string): boolean | undefined {
  const tools = toolResolver(listed)({ server, tool: name })
  return Array.isArray(tools) ? tools.find(({ ownName }) => ownName === name)?.shadowed : undefined
}
