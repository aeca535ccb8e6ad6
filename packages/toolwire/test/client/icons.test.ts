// Icons: which ones are kept, and how they are fetched and checked.
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { FetchIconOptions } from '../../src/client/icons/fetch-icon.js'
import { fetchIcon } from '../../src/client/index.js'
import type { JsonObject } from '../../src/json.js'
import type { Icon } from '../../src/tools/content.js'
import { since } from '../revisions.js'
import { gif, gifPixel, inline, jpeg, jpegPixel, losslessPixel, png, webp, webpPixel } from './pictures.js'
import { connectScripted, plainTool, textResult, toolsPage } from './scripted.js'

const from = 'https://shop.example/mcp'
const unsafe = [
  'javascript:alert(1)',
  'file:///etc/passwd',
  'ftp://shop.example/i.png',
  'ws://shop.example/i.png',
  'wss://shop.example/i.png',
  'http://shop.example/i.png',
  'vscode://shop.example/i.png',
  'blob:https://shop.example/1',
  'about:blank',
  ' javascript:alert(1)',
  'i.png',
  '//shop.example/i.png',
]

/** The type of the fetched image, or the reasons for the refusal. */
async function tried(icon: Icon | string, options: FetchIconOptions = {}) {
  const refusals: string[] = []
  const onRefused = (why: string) => void refusals.push(why)
  const image = await fetchIcon(typeof icon === 'string' ? { src: icon } : icon, { from, onRefused, ...options })
  expect(refusals).toHaveLength(image ? 0 : 1)
  return image?.mimeType ?? refusals[0]
}

/** A web server that takes the place of https://shop.example. */
async function shop(answer: RequestListener) {
  const seen: { path: string; headers: IncomingHttpHeaders }[] = []
  const web = createServer((request, response) => {
    seen.push({ path: request.url ?? '', headers: request.headers })
    answer(request, response)
  })
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  const { port } = web.address() as AddressInfo // the server listens on TCP
  const asked: string[] = []
  return {
    seen,
    asked,
    fetch: (url: string, init: RequestInit) => {
      asked.push(url)
      return fetch(url.replace(/^https:\/\/[^/]+/, `http://127.0.0.1:${port}`), init)
    },
    [Symbol.asyncDispose]: async () => {
      web.closeAllConnections()
      await new Promise((resolve) => web.close(resolve))
    },
  }
}

const answering = (body: Uint8Array | string, type = 'image/png') =>
  shop((_, response) => response.setHeader('content-type', type).end(body))

describe.each(since('2025-11-25'))('the icons of a %s server', (revision) => {
  const icons = [...unsafe, `${from}/i.png`, inline(png(2, 2), 'image/png')].map((src) => ({ src, sizes: ['48x48'] }))
  const kept = icons.slice(-2)

  it('ICON-003 are kept if they are https or data URLs, on any object', async () => {
    const { client } = await connectScripted(
      {
        'tools/list': toolsPage([plainTool('look', { icons })]),
        'resources/list': { ...toolsPage([]), tools: undefined, resources: [{ uri: 'a:b', name: 'b', icons }] } as JsonObject,
        'prompts/list': { ...toolsPage([]), tools: undefined, prompts: [{ name: 'p', icons }] } as JsonObject,
      },
      { revision, capabilities: { tools: {}, resources: {}, prompts: {} } },
    )
    const [tool] = await client.listTools()
    const [resource] = await client.listResources()
    const [prompt] = await client.listPrompts()
    for (const one of [tool, resource, prompt]) expect(one?.icons).toEqual(kept)
  })

  it('ICON-006 never prevent a tool from being listed and called', async () => {
    await using web = await shop((_, response) => response.writeHead(404).end())
    const broken = [{ src: 'https://shop.example/gone.png' }, null, 7, { src: 7 }, { sizes: 'any' }]
    const tools = [plainTool('look', { icons: broken }), plainTool('see', { icons: 'none' })]
    const { client, warnings } = await connectScripted(
      { 'tools/list': toolsPage(tools as JsonObject[]), 'tools/call': textResult('seen') },
      { revision },
    )
    const listed = await client.listTools()
    expect(listed.map(({ name }) => name)).toEqual(['look', 'see'])
    expect(await Promise.all(listed.flatMap(({ icons }) => icons.map((icon) => tried(icon, { fetch: web.fetch }))))).toEqual([
      'shop.example answered with the status 404',
    ])
    expect(await client.call('look')).toMatchObject({ content: [{ text: 'seen' }] })
    expect(warnings).toEqual([])
  })
})

describe('an image', () => {
  it.each([
    ['a PNG', png(48, 48), 'image/png'],
    ['an animated PNG', png(48, 48, 12), 'image/png'],
    ['a JPEG', jpegPixel, 'image/jpeg'],
    ['a progressive JPEG', jpeg(1_024, 1_024, 10), 'image/jpeg'],
    ['a GIF', gifPixel, 'image/gif'],
    ['a WebP', webpPixel, 'image/webp'],
    ['a lossless WebP', losslessPixel, 'image/webp'],
    ['an extended WebP', webp(512), 'image/webp'],
    ['the largest PNG', png(4_096, 4_096), 'image/png'],
  ])('ICON-002 may be %s, inline and over https', async (_, bytes, type) => {
    await using web = await answering(bytes, type)
    for (const src of [inline(bytes, type), 'https://shop.example/i'])
      expect(await fetchIcon({ src }, { from, fetch: web.fetch })).toEqual({ bytes, mimeType: type })
  })

  it.each([
    ['a web page', '<!doctype html><script>alert(1)</script>'],
    ['an SVG with a script', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['an SVG in XML', '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['a PDF', '%PDF-1.7 with something in it'],
    ['nothing', ''],
    ['a BMP', 'BM and whatever may follow it'],
  ])('ICON-005 may not be %s, whatever its declared type', async (_, text) => {
    await using web = await answering(text)
    expect(await tried('https://shop.example/i.png', { fetch: web.fetch })).toMatch(/^The icon is none of image\/png, /)
    expect(await tried(inline(text, 'image/png'))).toMatch(/^The icon is none of image\/png, /)
    expect(await tried(inline(text, 'image/svg+xml'))).toMatch(/^The icon is none of image\/png, /)
  })

  it.each([
    ['a PNG', png(20_000, 20_000)],
    ['a wide PNG', png(4_097, 1)],
    ['a high PNG', png(1, 4_097)],
    ['the largest number', png(0xffff_ffff, 1)],
    ['a JPEG', jpeg(20_000, 20_000)],
    ['the canvas of a GIF', gif(5_000, 1)],
    ['the frames of a GIF', gif(1, 5_000)],
    ['a WebP', webp(16_384)],
  ])('ICON-005 may have at most 4096 pixels a side: %s', async (_, bytes) => {
    expect(await tried(inline(bytes, ''))).toMatch(/pixels; at most 4096 a side are allowed$/)
  })

  it.each([
    ['a PNG', png(8, 8, 65)],
    ['a JPEG', jpeg(8, 8, 65)],
    ['a GIF', gif(8, 8, 65)],
    ['a WebP', webp(8, 65)],
  ])('ICON-005 may have at most 64 frames or passes: %s', async (_, bytes) => {
    expect(await tried(inline(bytes, ''))).toBe('The icon has 65 frames or passes; at most 64 are allowed')
  })

  it('ICON-005 may not be too large in the sum of its frames', async () => {
    expect(await tried(inline(png(1_024, 1_024, 64), ''))).toBe('image/png')
    expect(await tried(inline(png(1_025, 1_024, 64), ''))).toMatch(/^The icon has 64 frames or passes of 1025 × 1024 pixels; /)
  })

  it.each([
    ['a PNG', png(8, 8), 20],
    ['a JPEG', jpegPixel, 40],
    ['a GIF', gifPixel, 30],
    ['a WebP', webpPixel, 28],
    ['a PNG of no width', png(0, 8), 99],
    ['a PNG of no height', png(8, 0), 99],
    ['a JPEG that tells its height at the end', jpeg(8, 0), 99],
    ['a GIF of no size', gif(0, 0), 99],
  ])('ICON-005 must be complete: %s', async (_, bytes, length) => {
    expect(await tried(inline(bytes.subarray(0, length), ''))).toMatch(/^The icon is an incomplete image\//)
  })

  it.each([
    [jpegPixel, 'image/png', undefined],
    [png(8, 8), 'image/jpeg', undefined],
    [png(8, 8), 'text/html', undefined],
    [png(8, 8), 'image/svg+xml; charset=utf-8', undefined],
    [png(8, 8), 'image/png', 'image/svg+xml'],
  ])('ICON-005 must have its declared type', async (bytes, type, mimeType) => {
    await using web = await answering(bytes, type)
    const icon = (src: string) => ({ src, ...(mimeType && { mimeType }) })
    expect(await tried(icon('https://shop.example/i'), { fetch: web.fetch })).toMatch(
      /^The icon is image\/(png|jpeg), but was declared as /,
    )
    expect(await tried(icon(inline(bytes, type)))).toMatch(/^The icon is image\/(png|jpeg), but was declared as /)
  })

  it.each([
    [jpegPixel, 'image/jpg', 'image/jpeg'],
    [png(8, 8), 'image/apng', 'image/png'],
    [png(8, 8), 'application/octet-stream', 'image/png'],
    [png(8, 8), 'IMAGE/PNG; q=1', 'image/png'],
  ])('may have other type names, or none', async (bytes, type, actual) => {
    await using web = await answering(bytes, type)
    expect(await tried({ src: 'https://shop.example/i', mimeType: actual }, { fetch: web.fetch })).toBe(actual)
  })

  it('never causes an exception or an endless loop, whatever its bytes', async () => {
    const pictures = [png(8, 8, 2), jpegPixel, jpeg(8, 8, 2), gifPixel, webpPixel, losslessPixel, webp(8, 2)]
    for (let round = 0; round < 3_000; round++) {
      const bytes = Uint8Array.from(pictures[round % pictures.length]!)
      for (let change = 0; change < 4; change++) bytes[16 + Math.floor(Math.random() * (bytes.length - 16))] = Math.random() * 256
      await fetchIcon({ src: inline(bytes, '') })
    }
  })
})

describe('the URL of an icon', () => {
  it.each(unsafe)('ICON-003 may not be %s', async (src) => {
    await using web = await answering(png(8, 8))
    expect(await tried(src, { fetch: web.fetch })).toBe('The icon is neither inline nor at an https address')
    expect(web.asked).toEqual([])
  })

  it.each([
    'https://shop.example:8443/i.png',
    'https://evil.example/i.png',
    'https://shop.example.evil.example/i.png',
    'https://shop.example@evil.example/i.png',
    'https://user:word@shop.example/i.png',
  ])('ICON-005 must have the origin of the server, and not %s', async (src) => {
    await using web = await answering(png(8, 8))
    expect(await tried(src, { fetch: web.fetch })).toMatch(/is not an allowed origin for this icon\. |contains credentials$/)
    expect(await tried(src, { fetch: web.fetch, from: undefined as never })).toMatch(
      /is not an allowed origin for this icon\. |contains credentials$/,
    )
    expect(web.asked).toEqual([])
  })

  it('may have another origin only if the options allow it', async () => {
    await using web = await answering(png(8, 8))
    const origins = ['https://pictures.example']
    expect(await tried('https://pictures.example/i.png', { fetch: web.fetch, origins })).toBe('image/png')
    expect(await tried('https://other.example/i.png', { fetch: web.fetch, origins })).toBe(
      'other.example is not an allowed origin for this icon. Add it to `origins`.',
    )
  })

  it.each([
    'https://127.0.0.1/i.png',
    'https://10.0.0.1/i.png',
    'https://169.254.169.254/i.png',
    'https://localhost/i.png',
  ])('may not be a private address, even if the options allow its origin: %s', async (src) => {
    await using web = await answering(png(8, 8))
    expect(await tried(src, { fetch: web.fetch, origins: [src] })).toMatch(
      /a non-public address that this server may not refer to$/,
    )
    expect(web.asked).toEqual([])
  })

  it.each([
    'http://shop.example/i.png',
    'https://evil.example/i.png',
    'https://shop.example:8443/i.png',
    '//evil.example/i.png',
    'data:image/png;base64,AAAA',
    'javascript:alert(1)',
    'file:///etc/passwd',
  ])('ICON-003 may not redirect to %s', async (location) => {
    await using web = await shop((_, response) => response.writeHead(302, { location }).end())
    expect(await tried('https://shop.example/i.png', { fetch: web.fetch })).toBe('shop.example redirects to another origin')
    expect(web.asked).toEqual(['https://shop.example/i.png'])
  })

  it('may redirect three times within its origin', async () => {
    await using web = await shop(({ url = '' }, response) => {
      const left = Number(url.slice(1))
      if (left === 0) response.setHeader('content-type', 'image/png').end(png(8, 8))
      else response.writeHead(302, { location: `/${left - 1}` }).end()
    })
    expect(await tried('https://shop.example/3', { fetch: web.fetch })).toBe('image/png')
    expect(await tried('https://shop.example/4', { fetch: web.fetch })).toBe('shop.example redirects more than 3 times')
  })
})

describe('the request for an icon', () => {
  it('ICON-004 has no cookies and no credentials, even after a server has tried to set some', async () => {
    await using web = await shop((_, response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'set-cookie': 'id=7; Path=/' }).end(png(8, 8))
    })
    const inits: RequestInit[] = []
    const fetch = (url: string, init: RequestInit) => {
      inits.push(init)
      return web.fetch(url, init)
    }
    for (const path of ['a', 'b']) expect(await tried(`https://shop.example/${path}`, { fetch })).toBe('image/png')
    expect(web.seen).toHaveLength(2)
    for (const { headers } of web.seen) {
      expect(Object.keys(headers)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/cookie|authorization|referer|mcp/)]),
      )
    }
    // In a browser these options suppress cookies.
    for (const init of inits)
      expect(init).toMatchObject({ credentials: 'omit', referrerPolicy: 'no-referrer', redirect: 'manual' })
  })

  it('ICON-005 reads at most 1 MiB', async () => {
    const large = new Uint8Array(1024 * 1024 + 1)
    large.set(png(8, 8))
    await using web = await answering(large)
    expect(await tried('https://shop.example/i.png', { fetch: web.fetch })).toBe('The response is longer than 1048576 bytes')
    expect(await tried(inline(large, 'image/png'))).toBe('The icon is longer than 1048576 bytes')
    await using fitting = await answering(large.subarray(1))
    expect(await tried('https://shop.example/i.png', { fetch: fitting.fetch })).not.toContain('longer')
  })

  it('can be aborted', async () => {
    await using web = await shop(() => undefined)
    const giveUp = new AbortController()
    const outcome = tried('https://shop.example/i.png', { fetch: web.fetch, signal: giveUp.signal })
    giveUp.abort()
    expect(await outcome).toBe('shop.example cannot be reached')
  })
})
