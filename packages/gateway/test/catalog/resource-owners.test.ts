// A resource of one server is never read from another, in any order of the config.
import fc from 'fast-check'
import { resource, server, template } from 'toolwire'
import type { Client } from 'toolwire/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AggregateServer } from '../../src/catalog/aggregate-server.js'
import { client, gateway, http, listening, upstream } from '../support/upstream-fixture.js'

const uris = ['a://x/1', 'a://x/2', 'a://y/1', 'b://z']
const templates = ['a://x/{id}', 'a://{+rest}', 'a://{dir}/{id}', 'b://{id}']

type Shelf = { readonly fixed: readonly string[]; readonly templates: readonly string[] }
const shelf: fc.Arbitrary<Shelf> = fc.record({
  fixed: fc.uniqueArray(fc.constantFrom(...uris), { maxLength: 2 }),
  templates: fc.uniqueArray(fc.constantFrom(...templates), { maxLength: 2 }),
})

/** Each server answers with its own name. */
const serving = (id: string, { fixed, templates }: Shelf) =>
  server({
    name: id,
    version: '1.0.0',
    resources: {
      ...Object.fromEntries(fixed.map((uri) => [uri, resource({ uri, read: () => id })])),
      ...Object.fromEntries(templates.map((uriTemplate) => [uriTemplate, template({ uriTemplate, read: () => id })])),
    },
  })

const matches = (uriTemplate: string, uri: string): boolean =>
  new RegExp(`^${uriTemplate.replace('{+rest}', '.+').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(uri)

/** The only server that lists the URI or has a template for it. A URI that two servers list has no owner. */
function ownerOf(uri: string, shelves: readonly (readonly [string, Shelf])[]): string | undefined {
  const listers = shelves.filter(([, { fixed }]) => fixed.includes(uri))
  if (listers.length > 1) return undefined
  const shared = (one: string) => shelves.filter(([, { templates }]) => templates.includes(one)).length > 1
  const able = shelves.filter(([, { templates }]) => templates.some((one) => !shared(one) && matches(one, uri)))
  const owners = new Set([...listers, ...able].map(([id]) => id))
  return owners.size === 1 ? [...owners][0] : undefined
}

const readBy = (one: Client, uri: string) =>
  one.readResource(uri).then(
    ([contents]) => (contents && 'text' in contents ? contents.text : ''),
    () => undefined,
  )

it('a URI is read from its owner or not at all, in each order of the config', async () => {
  await fc.assert(
    fc.asyncProperty(fc.tuple(shelf, shelf, shelf), async (groups) => {
      const shelves = groups.map((one, index) => [`s${index}`, one] as const)
      const urls = await Promise.all(shelves.map(async ([id, one]) => [id, (await listening(serving(id, one))).url] as const))
      const expected = uris.map((uri) => ownerOf(uri, shelves))
      for (const order of [urls, urls.toReversed()]) {
        const { url, offer } = await gateway(order.map(([id, at]) => upstream(id, http(at))))
        const one = await client(url)
        expect(await Promise.all(uris.map((uri) => readBy(one, uri)))).toEqual(expected)
        expect(uris.map((uri) => offer.server.resources.serverOf(uri))).toEqual(expected)
        await one.close()
      }
    }),
    { seed: 13, numRuns: 8 },
  )
})

it('servers with templates for the same URI are named in the refusal', async () => {
  const { url: a } = await listening(serving('a', { fixed: [], templates: ['a://x/{id}'] }))
  const { url: b } = await listening(serving('b', { fixed: [], templates: ['a://{+rest}'] }))
  const { url } = await gateway([upstream('b', http(b)), upstream('a', http(a))])
  const one = await client(url)
  await expect(one.readResource('a://x/1')).rejects.toThrow('The servers a and b both have this URI or a template for it')
  expect(await readBy(one, 'a://y/1')).toBe('b')
})

it("a URI that one server lists and another's template matches is read from neither, and the refusal names both", async () => {
  const { url: a } = await listening(serving('a', { fixed: [], templates: ['wiki://{page}'] }))
  const { url: b } = await listening(
    serving('b', { fixed: ['wiki://Security-Policy', 'wiki:///b'], templates: ['wiki:///{own}'] }),
  )
  const { url } = await gateway([upstream('b', http(b)), upstream('a', http(a))])
  const one = await client(url)
  await expect(one.readResource('wiki://Security-Policy')).rejects.toThrow('The servers a and b both have this URI or a template')
  expect(await readBy(one, 'wiki://Other')).toBe('a')
  expect(await readBy(one, 'wiki:///b')).toBe('b')
})

describe('a listed URI', () => {
  const withOther = async () => {
    const { url: a } = await listening(serving('a', { fixed: ['a://x/1'], templates: [] }))
    const { url: d } = await listening(serving('d', { fixed: ['a://x/2'], templates: ['a://{+any}'] }))
    return [upstream('a', http(a), { lazy: true }), upstream('d', http(d))] as const
  }

  it("is not read through another server's template before its own server has answered", async () => {
    const [slow, d] = await withOther()
    let wake = (): void => undefined
    const awake = new Promise<void>((resolve) => {
      wake = resolve
    })
    const start = slow.start.bind(slow)
    slow.start = () => awake.then(start)
    const offer = new AggregateServer({ upstreams: [slow, d], server: { name: 'gateway', version: '1.0.0' } })
    onTestFinished(() => offer.close())
    await offer.open('eager')
    const { url } = await listening(offer.server)
    const one = await client(url)
    await expect(one.readResource('a://x/1')).rejects.toThrow('Try again later')
    await expect(one.readResource('a://y/1')).rejects.toThrow('Try again later')
    expect(await readBy(one, 'a://x/2')).toBe('d')
    wake()
    await offer.open()
    expect(await readBy(one, 'a://x/1')).toBeUndefined()
    expect(await readBy(one, 'a://y/1')).toBe('d')
  })

  it("is not read through another server's template while its own server is withheld", async () => {
    const { url } = await gateway(await withOther(), { isAnother: ({ id }) => id === 'a' })
    const one = await client(url)
    expect(await readBy(one, 'a://x/1')).toBeUndefined()
    expect(await readBy(one, 'a://y/1')).toBe('d')
  })
})

it.each([
  ['a://x/1', 'A://x/1'],
  ['a://x/1', 'a://X/1'],
  ['a://x/1', 'a://x/%31'],
  ['a://x/1', 'a://%58/%31'],
  ['a://x/é', 'a://x/%C3%A9'],
  ['a://x/%c3%a9', 'a://x/é'],
])('listed by another server as %s is read through no template, nor in the spelling %s', async (uri, spelling) => {
  const { url: a } = await listening(serving('a', { fixed: [uri], templates: [] }))
  const { url: b } = await listening(serving('b', { fixed: [], templates: ['a://{+any}'] }))
  const { url } = await gateway([upstream('b', http(b)), upstream('a', http(a))])
  const one = await client(url)
  expect(await readBy(one, uri)).toBeUndefined()
  expect(await readBy(one, spelling)).toBeUndefined()
  expect(await readBy(one, 'a://y/1')).toBe('b')
})
