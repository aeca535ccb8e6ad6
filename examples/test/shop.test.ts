import type { JsonObject } from 'toolwire'
import { ToolCallError } from 'toolwire/client'
import { harness } from 'toolwire/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { app } from '../src/shop.js'

const asRequest = '2025-11-25'
const asResult = '2026-07-28'
const items = ['mug', 'shirt', 'poster']

type Answers = NonNullable<Parameters<typeof harness>[1]>['answers']
const visit = (revision = asResult, answers: Answers = {}) => harness(app, { revision, answers })

async function stockOf(id: string): Promise<number | undefined> {
  await using shop = await visit()
  const { hits } = await shop.tools.search({ query: '' })
  return hits.find((hit) => hit.id === id)?.stock
}

describe('search', () => {
  it('finds items by a part of their name, in any case', async () => {
    await using shop = await visit()
    const { hits } = await shop.tools.search({ query: 'MU' })
    expect(hits).toEqual([{ id: 'mug', price: 9, stock: await stockOf('mug') }])
  })

  it('returns no more items than requested', async () => {
    await using shop = await visit()
    expect((await shop.tools.search({ query: '', limit: 2 })).hits).toHaveLength(2)
  })

  it('refuses a limit beyond its schema', async () => {
    await using shop = await visit()
    await expect(shop.tools.search({ query: '', limit: 51 })).rejects.toThrow('/limit')
  })

  it('TANN-005 claims to be read-only, and leaves the stock alone', async () => {
    await using shop = await visit()
    const before = await Promise.all(items.map(stockOf))
    await shop.tools.search({ query: 'mug' })
    expect(await Promise.all(items.map(stockOf))).toEqual(before)
    expect(await hintsOf('search')).toMatchObject({ readOnlyHint: true })
  })
})

describe.for([asRequest, asResult])('order, for a client of %s', (revision) => {
  it('TANN-005 takes one from the stock if the user agrees, and claims to be destructive', async () => {
    await using shop = await visit(revision, { confirm: { confirm: true } })
    const before = await stockOf('mug')
    const { content } = await shop.tools.order({ id: 'mug' })
    expect(content).toMatchObject([
      { type: 'text', text: 'Ordered one Mug' },
      { type: 'resource_link', uri: 'shop://items/mug' },
    ])
    expect(await stockOf('mug')).toBe((before ?? 0) - 1)
    expect(await hintsOf('order')).toEqual({ destructiveHint: true })
  })

  it('leaves the stock alone if the user answers no', async () => {
    await using shop = await visit(revision, { confirm: { confirm: false } })
    const before = await stockOf('mug')
    const { content } = await shop.tools.order({ id: 'mug' })
    expect(content).toMatchObject([{ text: 'Not ordered: the user changed their mind' }])
    expect(await stockOf('mug')).toBe(before)
  })

  it('fails if the user declines to answer', async () => {
    await using shop = await visit(revision, { confirm: false })
    const before = await stockOf('mug')
    await expect(shop.tools.order({ id: 'mug' })).rejects.toThrow('The user declined')
    expect(await stockOf('mug')).toBe(before)
  })

  it('tells the model why an item cannot be ordered', async () => {
    await using shop = await visit(revision, { confirm: { confirm: true } })
    await expect(shop.tools.order({ id: 'boat' })).rejects.toThrow(ToolCallError)
    await expect(shop.tools.order({ id: 'boat' })).rejects.toThrow('use search to find one')
  })
})

describe('an item that is sold out', () => {
  // This test runs before the restocking below, after which no item is sold out.
  it('is refused without asking the user', async () => {
    await using shop = await visit()
    await expect(shop.tools.order({ id: 'poster' })).rejects.toThrow('Poster is sold out')
    expect(JSON.stringify(shop.frames)).not.toContain('elicitation/create')
  })
})

describe('restock', () => {
  // The rate limit reads performance.now(), which must not go backwards.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  async function restock(shop: Awaited<ReturnType<typeof visit>>, onProgress?: (progress: JsonObject) => void) {
    const call = shop.call('restock', {}, { ...(onProgress && { onProgress }) })
    await vi.advanceTimersByTimeAsync(1_500)
    return call
  }

  it('reports its progress item by item', async () => {
    await using shop = await visit()
    const steps: unknown[] = []
    const { content } = await restock(shop, ({ progress, total, message }) => steps.push([progress, total, message]))
    expect(content).toMatchObject([{ text: 'Restocked 3 items' }])
    expect(steps).toEqual([
      [1, 3, 'Mug'],
      [2, 3, 'Shirt'],
      [3, 3, 'Poster'],
    ])
  })

  it('TANN-005 changes nothing the second time, as its hint says', async () => {
    await using shop = await visit()
    await restock(shop)
    const once = await Promise.all(items.map(stockOf))
    await restock(shop)
    expect(await Promise.all(items.map(stockOf))).toEqual(once)
    expect(await hintsOf('restock')).toEqual({ idempotentHint: true })
  })

  it('stops when the client cancels', async () => {
    await using shop = await visit()
    const stop = new AbortController()
    const call = shop.call('restock', {}, { signal: stop.signal, onProgress: () => stop.abort(new Error('enough')) })
    const refused = expect(call).rejects.toThrow('enough')
    await vi.advanceTimersByTimeAsync(1_500)
    await refused
    expect(shop.heard('notifications/progress')).toHaveLength(1)
  })
})

describe('resources', () => {
  it('include an item that can be read, with completion of its id', async () => {
    await using shop = await visit()
    const { contents } = await shop.request('resources/read', { uri: 'shop://items/shirt' })
    expect(JSON.parse((contents as { text: string }[])[0]?.text ?? '')).toMatchObject({ name: 'Shirt', price: 25 })
    const ref = { type: 'ref/resource', uri: 'shop://items/{id}' }
    const { completion } = await shop.request('completion/complete', { ref, argument: { name: 'id', value: 'sh' } })
    expect(completion).toMatchObject({ values: ['shirt'] })
  })
})

async function hintsOf(name: string): Promise<unknown> {
  await using shop = await visit()
  const { tools } = await shop.request('tools/list')
  return (tools as { name: string; annotations?: unknown }[]).find((tool) => tool.name === name)?.annotations
}
