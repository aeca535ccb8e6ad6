// The static files of the console: compressed, and sent only if the browser does not have them.
import { mkdirSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { watchLoop } from '../../../toolwire/test/loop-watch.js'
import { readAssets, serveAsset } from '../../src/console/assets.js'
import { folder } from '../support/running-gateway.js'
import { withConsole } from './console-visitor.js'

const script = `export const words = '${'many words '.repeat(100)}'`

function page(): string {
  const page = join(folder(), 'page')
  mkdirSync(join(page, 'assets'), { recursive: true })
  writeFileSync(join(page, 'index.html'), '<!doctype html><title>Page</title>')
  writeFileSync(join(page, 'notes.secret'), 'not for the web')
  writeFileSync(join(page, 'assets/index-Ab12.js'), script)
  writeFileSync(join(page, 'assets/index-Ab12.js.br'), brotliCompressSync(script))
  writeFileSync(join(page, 'assets/index-Ab12.js.gz'), gzipSync(script))
  return page
}

const served = () => withConsole({ options: { console: { page: page() } } })
const path = '/assets/index-Ab12.js'

it('are sent in the smallest encoding that the browser accepts', async () => {
  const { home } = await served()
  const get = async (accepted: string) => {
    const response = await fetch(`${home}${path}`, { headers: { 'accept-encoding': accepted } })
    return [response.headers.get('content-encoding'), await response.text(), response.headers.get('vary')]
  }
  expect(await get('gzip, deflate, br')).toEqual(['br', script, 'accept-encoding'])
  expect(await get('gzip, br;q=0')).toEqual(['gzip', script, 'accept-encoding'])
  expect(await get('identity')).toEqual([null, script, 'accept-encoding'])
})

it('are sent once: a cached file is not sent again, and another build has other tags', async () => {
  const { send } = await served()
  const { headers, text } = await send(path)
  const { etag = '' } = headers
  expect([text, headers['cache-control'], headers['content-type']]).toEqual([
    script,
    'max-age=31536000, immutable',
    'text/javascript; charset=utf-8',
  ])
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
    const again = await send(path, { headers: { 'if-none-match': known } })
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag])
  }
  expect((await send(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  const packed = await send(path, { headers: { 'accept-encoding': 'br', 'if-none-match': etag } })
  expect([packed.status, packed.headers.etag === etag]).toEqual([200, false])
  const index = await send('/')
  expect([index.headers['cache-control'], index.headers['content-type']]).toEqual(['no-cache', 'text/html; charset=utf-8'])
})

it('are those that existed at the start, and no others', async () => {
  const { send } = await served()
  const others = [
    '/notes.secret',
    `${path}.br`,
    '/assets/',
    '/assets',
    '/..%2f',
    '/../../package.json',
    '/%2e%2e/package.json',
    '//',
    '/index.htm',
  ]
  for (const other of others) expect([other, (await send(other)).status]).toEqual([other, 404])
  expect((await send('/index.html?x=1')).status).toBe(200)
  const head = await send('/', { method: 'HEAD' })
  expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', '34'])
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) expect((await send('/', { method })).status).toBe(405)
})

it('are sent quickly for any Accept-Encoding header', () => {
  watchLoop()
  const assets = readAssets(page())
  const encodingFor = (accepted: string): unknown => {
    const req = { method: 'GET', url: path, headers: { 'accept-encoding': accepted } } as Partial<IncomingMessage>
    let sent: { readonly 'content-encoding'?: string } = {}
    const res = {
      writeHead: (_: number, headers: typeof sent) => {
        sent = headers
      },
      end: () => undefined,
    }
    // The server uses only these members.
    serveAsset(assets, req as IncomingMessage, res as unknown as ServerResponse)
    return sent['content-encoding']
  }
  const gap = ' '.repeat(60_000)
  expect([encodingFor(`a${gap}b`), encodingFor(`gzip${gap};${gap}q=0.5`), encodingFor(`br${gap};${gap}q=0`)]).toEqual([
    undefined,
    'gzip',
    undefined,
  ])
})
