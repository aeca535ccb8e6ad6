// Hints of the operator decide which calls need approval, and optional arguments are left to the server.
import { jsonSchema, server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { defaultGuard, type ToolOverride, type UpstreamConfig } from '../../src/config/gateway-config.js'
import { ask, client, http, pending, started, upstreamConfig, words } from '../support/running-gateway.js'
import { listening } from '../support/upstream-fixture.js'

const asking = { ...defaultGuard, rate: false, lists: false, pins: false } as const

async function behind(more: Partial<UpstreamConfig>) {
  const claims = { readOnly: true }
  const tools = {
    look: tool({ description: 'Looks', hints: claims, run: () => 'seen' }),
    act: tool({ description: 'Acts', run: () => 'done' }),
  }
  const { url } = await listening(server({ name: 'shop', version: '1.0.0', tools }))
  const gateway = await started({ upstreams: [upstreamConfig('shop', http(url), more)], guard: asking })
  return { gateway, one: await client(gateway.url, { guard: { audit: false } }) }
}

type Asked = { readonly hints: object; readonly danger: string }
const onProgress = () => undefined

describe('hints of the operator', () => {
  const says = (name: string, hints: ToolOverride['hints']) => ({ tools: { [name]: { hints: hints ?? {} } } })

  it.each([
    ['that a tool is read-only, so that no approval is needed', says('act', { readOnly: true }), 'shop__act', 'done'],
    ['nothing, so that the hints of a trusted server apply', { trusted: true }, 'shop__look', 'seen'],
  ])('declare %s', async (_, more, name, result) => {
    const { gateway, one } = await behind(more)
    expect(words(await one.call(name))).toBe(result)
    const { tools } = (await ask(gateway, '/tools')).body as { tools: { name: string; hints: object }[] }
    expect(tools.find((tool) => tool.name === name)?.hints).toEqual({
      readOnly: true,
      destructive: false,
      idempotent: true,
      openWorld: true,
    })
  })

  it.each([
    ['destroys', { destructive: true }, { readOnly: false, destructive: true, idempotent: false }],
    ['does not only read', { readOnly: false }, { readOnly: false, destructive: true, idempotent: false }],
  ])('declare that a tool %s, and approval is needed, even if a trusted server says otherwise', async (_, hints, expected) => {
    const { gateway, one } = await behind({ trusted: true, ...says('look', hints) })
    const called = one.call('shop__look', {}, { onProgress })
    const { id } = await pending(gateway)
    const { body } = await ask(gateway, `/approvals/${id}`)
    expect(body as unknown as Asked).toMatchObject({ hints: expected, danger: 'destructive' })
    await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow' } })
    expect(words(await called)).toBe('seen')
  })
})

it.each([
  '2025-11-25',
  '2026-07-28',
])('a required argument with a default may be omitted by a client of %s, and its server fills it in', async (revision) => {
  const input = jsonSchema<{ path: string; level: number }>({
    type: 'object',
    properties: { path: { type: 'string' }, level: { type: 'integer', default: 3 } },
    required: ['path', 'level'],
  })
  const inputs: unknown[] = []
  const received: unknown[] = []
  const zip = tool({ description: 'Zips', input, run: (given) => String(inputs.push(given)) })
  const look = {
    name: 'look',
    call: (call: { arguments: unknown }, next: (call: never) => Promise<never>) => {
      received.push(call.arguments)
      return next(call as never)
    },
  }
  const { url } = await listening(server({ name: 'zip', version: '1.0.0', tools: { zip }, policies: [look] }))
  const gateway = await started({ upstreams: [upstreamConfig('zip', http(url))], guard: { ...asking, approvals: false } })
  const one = await client(gateway.url, { revision })
  expect((await one.call('zip__zip', { path: '/a' })).isError).not.toBe(true)
  expect(received).toEqual([{ path: '/a' }])
  expect(inputs).toEqual([{ path: '/a', level: 3 }])
})
