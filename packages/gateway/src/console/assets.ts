// The files of the console page. They are read once at the start, so that a request cannot read any other file.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join, relative, sep } from 'node:path'
import { HttpRefusal } from '../api/route.js'

type Packed = { readonly encoding: string; readonly bytes: Buffer }
type Asset = {
  readonly type: string
  readonly hash: string
  readonly bytes: Buffer
  /** Compressed forms, made when the page was built. */
  readonly packed: readonly Packed[]
}

export type Assets = ReadonlyMap<string, Asset>

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}
/** In order of preference. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

export function readAssets(folder: string): Assets {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const read = new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return [`/${relative(folder, path).split(sep).join('/')}`, readFileSync(path)] as const
    }),
  )
  const assets = new Map<string, Asset>()
  for (const [path, bytes] of read) {
    const type = types[extname(path)]
    if (type === undefined) continue
    const packed = encodings.flatMap(([encoding, ending]) => {
      const smaller = read.get(`${path}${ending}`)
      return smaller ? [{ encoding, bytes: smaller }] : []
    })
    assets.set(path, { type, hash: createHash('sha256').update(bytes).digest('base64url'), bytes, packed })
  }
  return assets
}

export function serveAsset(assets: Assets, req: IncomingMessage, res: ServerResponse): void {
  const path = (req.url ?? '/').split('?', 1)[0] ?? '/'
  const asset = assets.get(path === '/' ? '/index.html' : path)
  if (!asset) throw new HttpRefusal(404, 'There is no such page. The console is at /')
  if (req.method !== 'GET' && req.method !== 'HEAD') throw new HttpRefusal(405, 'This route accepts GET')
  const { encoding, bytes } = preferredEncoding(asset, req)
  const tag = `"${asset.hash}${encoding === undefined ? '' : `-${encoding}`}"`
  const isKnown = (req.headers['if-none-match'] ?? '').split(',').some((one) => one.trim().replace(/^W\//, '') === tag)
  res.writeHead(isKnown ? 304 : 200, {
    etag: tag,
    vary: 'accept-encoding',
    'cache-control': lastsFor(path),
    ...(!isKnown && { 'content-type': asset.type, 'content-length': bytes.length }),
    ...(!isKnown && encoding !== undefined && { 'content-encoding': encoding }),
  })
  res.end(isKnown || req.method === 'HEAD' ? undefined : bytes)
}

function preferredEncoding({ bytes, packed }: Asset, { headers }: IncomingMessage): { encoding?: string; bytes: Buffer } {
  const accepted = String(headers['accept-encoding'] ?? '')
    .split(',')
    .map((one) => one.split(';').map((part) => part.trim()))
    .flatMap(([name = '', weight = 'q=1']) => (Number(weight.replace('q=', '')) > 0 ? [name.toLowerCase()] : []))
  return packed.find(({ encoding }) => accepted.includes(encoding)) ?? { bytes }
}

/** Files in assets/ have a hash in their name; other files may change at any time. */
const lastsFor = (path: string): string => (path.startsWith('/assets/') ? 'max-age=31536000, immutable' : 'no-cache')
