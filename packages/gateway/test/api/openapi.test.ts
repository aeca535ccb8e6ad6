// The description of the management API matches its answers.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from 'toolwire'
import { schemas } from 'toolwire/relay'
import { compile } from 'toolwire/schema'
import { describe, expect, it } from 'vitest'
import { ask, client, folder, pending, started } from '../support/running-gateway.js'
import { asking, notes, open } from '../support/upstream-configs.js'

type Media = { readonly schema: JsonObject }
type Operation = {
  readonly responses: { readonly [status: string]: { readonly content: { readonly [type: string]: Media } } }
  requestBody?: object
}
type Paths = { readonly [path: string]: { readonly [method: string]: Operation } }
type Gateway = { readonly port: number }

const paths = async (gateway: Gateway) => (await ask(gateway, '/openapi.json')).body.paths as Paths

/** Compares the description of a route with its real answer. */
async function fits(gateway: Gateway, path: string, how: { template?: string; method?: string; body?: object } = {}) {
  const { template = path.replace(/\?.*$/, ''), ...request } = how
  const method = (request.method ?? (request.body ? 'POST' : 'GET')).toLowerCase()
  const { status, body } = await ask(gateway, path, request)
  expect([path, status < 300]).toEqual([path, true])
  const schema = (await paths(gateway))[template]?.[method]?.responses[status]?.content['application/json']?.schema
  expect([template, Object.keys(schema ?? {}).length > 0]).toEqual([template, true])
  expect([path, compile(schema ?? {}, { limits: schemas.trustedLimits }).check(body)]).toEqual([path, []])
}

describe('the description of the API', () => {
  it('contains a schema for every JSON answer', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const all = Object.entries(await paths(gateway))
    const own = all.filter(([path]) =>
      /^\/(status|servers$|tools|calls|stats|approvals|grants|pins|policy|audit|keys)/.test(path),
    )
    expect(own.length).toBeGreaterThan(15)
    for (const [path, methods] of own)
      for (const [method, { responses, requestBody }] of Object.entries(methods)) {
        const [done, ...others] = Object.keys(responses).filter((status) => status.startsWith('2'))
        expect([path, others]).toEqual([path, []])
        const json = responses[done ?? '']?.content['application/json']
        if (json) expect([method, path, json.schema.type]).toEqual([method, path, 'object'])
        if (method === 'post' || method === 'put') expect([path, requestBody]).toEqual([path, expect.any(Object)])
      }
  })

  it('matches requests and decisions', async () => {
    const policy = join(folder(), 'policy.yaml')
    writeFileSync(policy, 'rules:\n  - { name: writing, when: { tool: notes__write }, decision: ask }\ndefault: allow\n')
    const gateway = await started({ upstreams: [notes({}), asking()], policy, guard: { ...open, approvals: true } })
    const one = await client(gateway.url)
    const first = one.call('notes__write', { text: 'hi' }, { onProgress: () => undefined })
    const { id } = await pending(gateway)
    const slow = one.call('notes__slow', { ms: 1_000 })
    await fits(gateway, '/calls')
    await fits(gateway, '/approvals?limit=1&past=10')
    await fits(gateway, `/approvals/${id}`, { template: '/approvals/{id}' })
    const decision = { decision: 'allow', always: { forMs: 60_000 } }
    await fits(gateway, `/approvals/${id}`, { template: '/approvals/{id}', body: decision })
    await Promise.all([first, slow])
    await fits(gateway, '/approvals?past=10')
    await fits(gateway, '/grants')
    await fits(gateway, '/approvals/deny-all', { body: {} })
    await fits(gateway, '/tools')
    await fits(gateway, '/tools/notes__read/state', { template: '/tools/{name}/state', body: { state: 'hidden' } })
    await fits(gateway, '/tools/notes__pid/call', { template: '/tools/{name}/call', body: {} })
    await fits(gateway, '/stats')
    await fits(gateway, '/status')
    await fits(gateway, '/servers')
    await fits(gateway, '/servers/notes/restart', { template: '/servers/{id}/restart', body: {} })
    await fits(gateway, '/audit')
    await fits(gateway, '/audit/1', { template: '/audit/{sequence}' })
    await fits(gateway, '/audit/verify')
    await fits(gateway, '/audit/head')
    await fits(gateway, '/keys', { body: { caller: 'nightly', scopes: ['a'] } })
    await fits(gateway, '/keys')
    await fits(gateway, '/stats?by=server&minutes=1440')
    await fits(gateway, '/policy')
    await fits(gateway, '/policy/explain', { body: { tool: 'notes__write' } })
    await fits(gateway, '/policy/preview', { body: { text: 'rules: []' } })
    await fits(gateway, '/policy/preview', { body: { text: 'rules: 7' } })
    const { version } = (await ask(gateway, '/policy')).body
    await fits(gateway, '/policy', { method: 'PUT', body: { text: 'rules: []\n', version } })
  })

  it('matches waiting definitions', async () => {
    const dataDir = join(folder(), 'data')
    const before = await started({ upstreams: [notes()], dataDir })
    await before.close({ drainMs: 0 })
    const gateway = await started({ upstreams: [notes({}, 'changed')], dataDir })
    await fits(gateway, '/pins')
    const { waiting } = (await ask(gateway, '/pins')).body as { waiting: { server: string; tool: string; hash: string }[] }
    const [{ server = '', tool = '', hash = '' } = {}, other] = waiting
    await fits(gateway, '/pins/refuse', { body: { server, tool, hash } })
    await fits(gateway, '/pins')
    await fits(gateway, '/pins/accept', { body: { server: other?.server, tool: other?.tool, hash: other?.hash } })
  })
})
