// Every path on which data could pass from one server through a caller to another, in every revision.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { type Context, type JsonObject, jsonSchema, prompt, resource, type Server, server, template, tool } from 'toolwire'
import { harness } from 'toolwire/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { GatewayConfig } from '../../src/config/gateway-config.js'
import { flowGuard as guard, policy, text } from './crm-and-web.js'
import { folder, http, until, upstreamConfig, words } from './running-gateway.js'
import { asking, listening, modern, revisions } from './upstream-fixture.js'

const secret = 'Ada, +44 20 7946 0000'
const known = ['crm', 'web'] as const
type Of = (typeof known)[number]

/** Every request that carries data from a server to a caller, or from a caller to the server. */
const requestKinds = ['call', 'resource', 'template', 'prompt', 'question', 'suggestion', 'variable', 'watch'] as const
type RequestKind = (typeof requestKinds)[number]

/** A server that records all that it receives. */
function keeping(id: Of, received: string[]) {
  const keep = (what: string) => {
    received.push(what)
    return secret
  }
  const complete = (prefix: string) => [keep(prefix)]
  const app = server({
    name: id,
    version: '1.0.0',
    tools: {
      send: tool({
        description: 'Sends',
        input: jsonSchema(text),
        run: (given) => keep(String((given as { text: string }).text)),
      }),
    },
    resources: {
      fixed: resource({ uri: `${id}://fixed`, read: () => keep('fixed') }),
      any: template({ uriTemplate: `${id}://any/{what}`, complete: { what: complete }, read: ({ what }) => keep(String(what)) }),
    },
    prompts: {
      say: prompt({ args: { text: { complete } }, run: ({ text: what }) => keep(String(what)) }),
      question: prompt({
        args: { text: {} },
        run: async ({ text: what }, ctx) => {
          const { yes } = await ctx.ask('sure', keep(String(what)), z.object({ yes: z.boolean() }))
          return yes ? 'yes' : 'no'
        },
      }),
    },
  })
  app.watched.onChange(() => received.push(...app.watched.uris))
  return app
}

const isForbidden = (thrown: unknown): boolean => String(thrown).includes('not allowed')

/** True if the rules refused the request. */
async function refused(on: Server, who: { readonly id: string; readonly revision: string }, { road, of }: Step, what: string) {
  const answers = { sure: () => ({ action: 'decline' }) }
  const one = await harness(on, { revision: who.revision, caller: { id: who.id }, answers })
  const asked = (method: string, params: JsonObject) => one.request(method, params).then(() => false, isForbidden)
  try {
    switch (road) {
      case 'call':
        return isForbidden(words((await one.call(`${of}__send`, { text: what })) as never))
      case 'resource':
        return await asked('resources/read', { uri: `${of}://fixed` })
      case 'template':
        return await asked('resources/read', { uri: `${of}://any/${what}` })
      case 'prompt':
        return await asked('prompts/get', { name: `${of}__say`, arguments: { text: what } })
      case 'question':
        return await asked('prompts/get', { name: `${of}__question`, arguments: { text: what } })
      case 'suggestion': {
        const ref = { type: 'ref/prompt', name: `${of}__say` }
        return await asked('completion/complete', { ref, argument: { name: 'text', value: what } })
      }
      case 'variable': {
        const ref = { type: 'ref/resource', uri: `${of}://any/{what}` }
        return await asked('completion/complete', { ref, argument: { name: 'what', value: what } })
      }
      case 'watch': {
        const uri = `${of}://any/${what}`
        if (who.revision !== modern) return await asked('resources/subscribe', { uri })
        one.request('subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } }).catch(() => undefined)
        const { params } = await one.hear('notifications/subscriptions/acknowledged')
        return !JSON.stringify(params).includes(uri)
      }
    }
  } finally {
    one.close()
  }
}

type Step = { readonly road: RequestKind; readonly of: Of; readonly caller: number; readonly at: number }

/** Starts gateways with one config that share the labels of callers. The first one is the first in the list. */
export type StartAll = (config: Pick<GatewayConfig, 'upstreams' | 'guard' | 'policy'>) => Promise<readonly [Server, ...Server[]]>

/** Data must not pass from one server to another, over one gateway or several. */
export function flowSuite(startAll: StartAll): void {
  describe.each(revisions)('in revision %s', (revision) => {
    const step = fc.record({
      road: fc.constantFrom(...requestKinds),
      of: fc.constantFrom(...known),
      caller: fc.nat(1),
      at: fc.nat(1),
    })

    it('a caller that has read private data of one server can send nothing to another, by any kind of request', async () => {
      const received = { crm: [] as string[], web: [] as string[] }
      const file = join(folder(), 'policy.yaml')
      writeFileSync(file, policy('{ server: crm }'))
      const upstreams = await Promise.all(
        known.map(async (id) => upstreamConfig(id, http((await listening(keeping(id, received[id]))).url))),
      )
      const all = await startAll({ upstreams, guard, policy: file })
      for (const on of all) {
        const lister = await harness(on, { revision })
        await until(async () => {
          const { resourceTemplates } = await lister.request('resources/templates/list')
          const { prompts } = await lister.request('prompts/list')
          return (
            (resourceTemplates as JsonObject[]).length === 2 &&
            (prompts as JsonObject[]).length === 4 &&
            on.tools.names.length === 2
          )
        })
      }
      let run = 0
      // Each pair of a request that reads and a request that sends, and then random sequences.
      const pairs = requestKinds.map((road): Step[] => [
        { road: 'prompt', of: 'web', caller: 0, at: 1 },
        { road, of: 'crm', caller: 0, at: 0 },
        ...requestKinds.map((other) => ({ road: other, of: 'web' as const, caller: 0, at: 1 })),
        { road, of: 'web', caller: 1, at: 1 },
      ])
      const examples = pairs.map((steps): [Step[]] => [steps])
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
          run++
          const knows = new Set<number>()
          for (const [index, step] of steps.entries()) {
            const { road, of, caller } = step
            const on = all[step.at % all.length] ?? all[0]
            const isStopped = of === 'web' && knows.has(caller)
            const what = `${isStopped ? 'private' : 'plain'}-${run}-${index}`
            const before = received.web.length
            expect(await refused(on, { id: `${run}-${caller}`, revision }, step, what), `${road} of ${of}`).toBe(isStopped)
            if (isStopped && road !== 'watch') expect(received.web.length).toBe(before)
            if (of === 'crm') knows.add(caller)
          }
        }),
        { numRuns: examples.length + 12, examples, seed: 13 },
      )
      expect(received.web.filter((what) => what.includes('private'))).toEqual([])
      expect(received.web.length).toBeGreaterThan(requestKinds.length)
    })
  })

  describe.each(asking)('in revision %s, an answer', (revision) => {
    /** Each kind of request that asks a question, and the request that triggers it. */
    const askers = {
      call: ['tools/call', { name: 'web__ask', arguments: {} }],
      prompt: ['prompts/get', { name: 'web__ask' }],
      resource: ['resources/read', { uri: 'web://ask' }],
      template: ['resources/read', { uri: 'web://ask/it' }],
    } as const
    /** Requests by which the caller reads data of the other server while the question is open. */
    const sources = {
      call: ['tools/call', { name: 'crm__send', arguments: { text: 'x' } }],
      resource: ['resources/read', { uri: 'crm://fixed' }],
      prompt: ['prompts/get', { name: 'crm__say', arguments: { text: 'x' } }],
    } as const
    const decisions = ['deny', 'ask'] as const

    async function twoServersWith(decision: string, answered: string[]) {
      const form = z.object({ text: z.string() })
      /** Collects the answers. An open or last question fails the request as usual. */
      const put = async (ctx: Context) => {
        const answers = await Promise.allSettled([
          ctx.ask('form', 'What is it?', form).then(({ text: what }) => answered.push(what)),
          ctx.ask.model('model', { messages: [], maxTokens: 9 }).then((answer) => answered.push(JSON.stringify(answer))),
        ])
        for (const answer of answers) if (answer.status === 'rejected') throw answer.reason
        return 'asked'
      }
      const web = server({
        name: 'web',
        version: '1.0.0',
        tools: { ask: tool({ description: 'Asks', hints: { readOnly: true }, run: (_, ctx) => put(ctx) }) },
        resources: {
          ask: resource({ uri: 'web://ask', read: put }),
          any: template({ uriTemplate: 'web://ask/{what}', read: (_, ctx) => put(ctx) }),
        },
        prompts: { ask: prompt({ run: (_, ctx) => put(ctx) }) },
      })
      const file = join(folder(), 'policy.yaml')
      writeFileSync(file, policy('{ server: crm }').replace('decision: deny', `decision: ${decision}`))
      const upstreams = [
        upstreamConfig('crm', http((await listening(keeping('crm', []))).url)),
        upstreamConfig('web', http((await listening(web)).url)),
      ]
      const all = await startAll({ upstreams, guard, policy: file })
      for (const on of all) {
        const lister = await harness(on, { revision })
        await until(async () => {
          const { prompts } = await lister.request('prompts/list')
          return (prompts as JsonObject[]).length === 3 && on.tools.names.length === 2
        })
      }
      return all
    }

    it.each(
      decisions,
    )('does not pass a rule that says %s, if its caller has read private data of another server since the question', async (decision) => {
      const answered: string[] = []
      const all = await twoServersWith(decision, answered)
      const [on] = all
      let run = 0
      for (const [road, [method, params]] of Object.entries(askers)) {
        for (const [source, [reading, what]] of [...Object.entries(sources), ['nothing', ['tools/list', {}]]] as const) {
          answered.length = 0
          const caller = { id: `caller ${run++}` }
          const read = async () => {
            const other = await harness(all.at(-1) ?? on, { revision, caller })
            await other.request(reading as string, what as JsonObject)
            other.close()
          }
          const answers = {
            form: async () => {
              await read()
              return { text: secret }
            },
            model: async () => {
              await read()
              return { role: 'assistant', model: 'm', content: { type: 'text', text: secret } }
            },
          }
          const one = await harness(on, { revision, caller, answers })
          const outcome = await one.request(method, params as JsonObject).then(JSON.stringify, String)
          one.close()
          const where = `${road}, after ${source}`
          if (source === 'nothing') expect(answered.join(), where).toContain(secret)
          else {
            expect(answered.join(), where).not.toContain(secret)
            // In a revision where the answer comes in a new request, a rule with approval stops that request.
            expect(outcome, where).toMatch(/customers are private|needs approval/)
          }
        }
      }
    })
  })
}
