import { server, template } from 'toolwire'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/json.js'
import { every } from '../../revisions.js'
import '../../reported-faults.js'
import { judged } from '../../official-schemas.js'

/** Returns the values of the variables. */
const showing = (uriTemplate: string) =>
  server({
    name: 'a',
    version: '1',
    resources: { it: template({ uriTemplate, read: (variables) => JSON.stringify(variables) }) },
  })

async function read(uriTemplate: string, uri: string, revision = '2026-07-28'): Promise<JsonObject> {
  await using t = await judged(showing(uriTemplate), { revision })
  const { contents } = await t.request('resources/read', { uri })
  return JSON.parse((contents as { text: string }[])[0]?.text ?? '')
}

// Each vector is an expansion of RFC 6570, section 3.2, in reverse.
const vectors: [string, string, JsonObject][] = [
  ['x://{var}', 'x://value', { var: 'value' }],
  ['x://{hello}', 'x://Hello%20World%21', { hello: 'Hello World!' }],
  ['x://{+path}/here', 'x:///foo/bar/here', { path: '/foo/bar' }],
  ['x://up{+path}{var}/here', 'x://up/foo/barvalue/here', { path: '/foo/barvalue', var: '' }],
  ['x://a{#hello}', 'x://a#Hello%20World!', { hello: 'Hello World!' }],
  ['x://www{.dom*}', 'x://www.example.com', { dom: 'example.com' }],
  ['x:/{/var,x}/here', 'x://value/1024/here', { var: 'value', x: '1024' }],
  ['x://a{;x,y}', 'x://a;x=1024;y=768', { x: '1024', y: '768' }],
  ['x://a{?x,y}', 'x://a?x=1024&y=768', { x: '1024', y: '768' }],
  ['x://a{?x,y}', 'x://a?y=768', { y: '768' }],
  ['x://a?fixed=yes{&x}', 'x://a?fixed=yes&x=1024', { x: '1024' }],
]

describe.each(every)('Templates at %s', (revision) => {
  it('RSRC-010 are listed page by page', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 7 }, (_, at) => [`t${at}`, template({ uriTemplate: `t${at}://{x}`, read: () => 'x' })]),
    )
    await using t = await judged(server({ name: 'a', version: '1', resources: many, pageSize: 3 }), { revision })
    const found: unknown[] = []
    let cursor: JsonObject = {}
    for (let page = 1; page <= 3; page++) {
      const { resourceTemplates, nextCursor } = await t.request('resources/templates/list', cursor)
      found.push((resourceTemplates as JsonObject[]).map((one) => one.uriTemplate))
      expect(typeof nextCursor).toBe(page < 3 ? 'string' : 'undefined')
      cursor = { cursor: nextCursor ?? '' }
    }
    expect(found.flat()).toEqual(Array.from({ length: 7 }, (_, at) => `t${at}://{x}`))
  })

  it('RSRC-010 are read by any matching URI', async () => {
    await using t = await judged(showing('x://{a}/{b}'), { revision })
    expect(await t.request('resources/read', { uri: 'x://one/t%2Fwo' })).toMatchObject({
      contents: [{ uri: 'x://one/t%2Fwo', text: '{"a":"one","b":"t/wo"}' }],
    })
    await expect(t.request('resources/read', { uri: 'x://one/two/three' })).rejects.toMatchObject({
      data: { uri: 'x://one/two/three' },
    })
  })
})

it.each(vectors)('RSRC-010 the template %s extracts its variables from %s', async (uriTemplate, uri, variables) => {
  const found = await read(uriTemplate, uri)
  if (uriTemplate.includes('{+path}{var}')) expect(`${found.path}${found.var ?? ''}`).toBe('/foo/barvalue')
  else expect(found).toEqual(variables)
})

const climbing = [
  '..%2f..%2fetc%2fpasswd',
  '%2e%2e/%2e%2e/etc/passwd',
  '../../etc/passwd',
  'a/../../etc/passwd',
  '..%5c..%5cetc',
  '..\\..\\etc',
  '%252e%252e%252fetc',
  '%25252e%25252e%25252fetc',
  '%2e%2e%2f',
  'a%00b',
  '..%00/etc',
  '.%2e/etc',
  '%2E./etc',
  '..%20/etc',
  '%c0%ae%c0%ae/etc',
  '%u002e%u002e/etc',
  'a/%2e%2e',
  '..;/../etc',
]

describe.each(every)('A family of files at %s', (revision) => {
  it.each(climbing)('RSRC-007 returns nothing for %s', async (path) => {
    const asked: unknown[] = []
    const files = template({
      uriTemplate: 'file:///srv/data/{+path}',
      read: (variables) => void asked.push(variables) as unknown as string,
    })
    await using t = await judged(server({ name: 'a', version: '1', resources: { files } }), { revision })
    await expect(t.request('resources/read', { uri: `file:///srv/data/${path}` })).rejects.toThrow()
    expect(asked).toEqual([])
  })

  it('RSRC-007 returns files inside the folder', async () => {
    await using t = await judged(showing('file:///srv/data/{+path}'), { revision })
    for (const path of ['a.txt', 'a/b.txt', 'a/..b/c...txt', 'a%20b.txt']) {
      expect(await t.request('resources/read', { uri: `file:///srv/data/${path}` })).toMatchObject({
        contents: [{ text: JSON.stringify({ path: decodeURIComponent(path) }) }],
      })
    }
  })
})
