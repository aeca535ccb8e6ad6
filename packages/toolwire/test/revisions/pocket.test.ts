import { type JsonObject, server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { every } from '../revisions.js'
import '../reported-faults.js'
import { judged } from '../official-schemas.js'
import { shop } from './registry.js'

const pocket = { profile: 'pocket' } as const
const golden = (name: string) => `./goldens/pocket.${name}.golden`
const pretty = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`

describe('the pocket profile', () => {
  it('PKT-002 lists the members of its specification, and always a description', async () => {
    const t = await judged(shop(pocket))
    const list = (await t.request('tools/list')) as unknown as { tools: JsonObject[]; nextCursor: string }
    await expect(pretty(list)).toMatchFileSnapshot(golden('list'))
    const known = ['name', 'description', 'inputSchema', 'outputSchema', 'annotations']
    for (const entry of list.tools) {
      expect(entry).toMatchObject({ name: expect.any(String), description: expect.any(String), inputSchema: expect.any(Object) })
      expect(Object.keys(entry).filter((key) => !known.includes(key))).toEqual([])
    }
    expect(list.nextCursor).toBe('')
  })

  it.each([
    ['search', { query: 'mug' }],
    ['pick', { by: 'name', name: 'a' }],
    ['show', {}],
    ['fail', {}],
    ['silent', {}],
  ])('PKT-001 answers a call of %s with content, structured content and isError', async (name, args) => {
    const t = await judged(shop(pocket))
    const result = await t.call(name, args)
    await expect(pretty(result)).toMatchFileSnapshot(golden(name))
    expect(result.content.length).toBeGreaterThan(0)
    expect(result.structuredContent).toBeTypeOf('object')
    expect(result.isError).toBeTypeOf('boolean')
  })

  it('PKT-004 declares that its list changes and announces changes, even if its tools are fixed', async () => {
    const app = shop(pocket)
    const t = await judged(app)
    const opened = t.frames.find(({ from }) => from === 'server')?.message.result
    expect(opened).toMatchObject({ protocolVersion: '2025-06-18', capabilities: { tools: { listChanged: true } } })
    app.tools.add('extra', tool({ run: () => 'more' }))
    expect(await t.hear('notifications/tools/list_changed')).toMatchObject({ method: 'notifications/tools/list_changed' })
    const fixed = await judged(server({ name: 'shop', version: '1', fixed: true, ...pocket }))
    expect(fixed.frames.find(({ from }) => from === 'server')?.message.result).toMatchObject({
      capabilities: { tools: { listChanged: true } },
    })
  })

  it.each(every)('PKT-009 is optional: without it %s is unchanged', async (revision) => {
    const t = await judged(shop(), { revision })
    const list = await t.request('tools/list')
    expect(list).not.toHaveProperty('nextCursor')
    expect(list.tools).toContainEqual(expect.not.objectContaining({ description: expect.anything() }))
    expect(await t.call('show')).not.toHaveProperty('structuredContent')
  })

  it('PKT-009 supports no other revision', async () => {
    await expect(judged(shop(pocket), { revision: '2026-07-28' })).rejects.toThrow('does not speak')
  })
})
