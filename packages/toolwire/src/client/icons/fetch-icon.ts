import type { Icon } from '../../tools/content.js'
import { egress, type Fetch } from '../oauth/egress/egress.js'
import { type Reach, reachOf } from '../oauth/egress/reach.js'
import { OAuthFailure } from '../oauth/oauth-failure.js'
import type { PictureType } from './picture-format.js'
import { checkClaim, IconRefusal, pictureTypeOf } from './picture-type.js'

/** `Uint8Array<ArrayBuffer>`, which TypeScript before 5.7 cannot say. */
type Bytes = ReturnType<Uint8ArrayConstructor['from']>

/** A picture to show, with the type that its bytes have. */
export type IconImage = { readonly bytes: Bytes; readonly mimeType: PictureType }

/** Where icons may come from. */
export type FetchIconOptions = {
  /** URL of the server that named the icon: its own origin is where icons come from. Over stdio there is none. */
  from?: string | URL
  /** More origins that you let icons come from. */
  origins?: readonly string[]
  /** Which addresses may be asked: public ones, and private ones or this machine only if the server itself is there. */
  reach?: Reach
  /** Replaces `fetch`; it has to look after the addresses that names resolve to. */
  fetch?: Fetch
  signal?: AbortSignal
  /** Told why there is no picture. */
  onRefused?: (why: string) => void
}

const mostBytes = 1024 * 1024

/**
 * Gets the picture behind an icon, if it is safe to show: over https from the server's own origin or inline, asked for by nobody
 * in particular, at most 1 MiB within 5 s, a PNG, JPEG, GIF or WebP of moderate size. Otherwise undefined: nothing depends on it.
 *
 * @example
 * const image = tool.icons[0] && (await fetchIcon(tool.icons[0], { from: 'https://shop.example/mcp' }))
 */
export async function fetchIcon(icon: Icon, options: FetchIconOptions = {}): Promise<IconImage | undefined> {
  try {
    const { bytes, mimeType } = isDataUri(icon.src) ? readDataUri(icon.src) : await fetched(icon.src, options)
    const actual = pictureTypeOf(bytes)
    for (const claim of [mimeType, icon.mimeType]) checkClaim(claim, actual)
    return { bytes, mimeType: actual }
  } catch (thrown) {
    if (!(thrown instanceof IconRefusal || thrown instanceof OAuthFailure)) throw thrown
    options.onRefused?.(thrown.message)
    return undefined
  }
}

const scheme = 'data:'
const marked = ';base64'

const isDataUri = (uri: string): boolean => uri.slice(0, scheme.length).toLowerCase() === scheme

/** What a `data:` URI holds: base64, as the protocol has it for icons, and at most so many bytes. */
function readDataUri(uri: string) {
  const comma = uri.indexOf(',')
  const head = uri.slice(scheme.length, comma)
  if (comma < 0 || !head.toLowerCase().endsWith(marked)) throw new IconRefusal('Its data is not base64')
  const tooLong = new IconRefusal(`It is longer than ${mostBytes} bytes`)
  if (uri.length - comma > (mostBytes / 3 + 2) * 4) throw tooLong
  const bytes = decoded(uri.slice(comma + 1))
  if (bytes.length > mostBytes) throw tooLong
  return { bytes, mimeType: head.slice(0, -marked.length) }
}

function decoded(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch (cause) {
    throw new IconRefusal('Its data is not base64', { cause })
  }
}

async function fetched(src: string, { from, origins = [], reach, fetch, signal }: FetchIconOptions) {
  const url = checkedAddress(src, from === undefined ? origins : [from, ...origins])
  const get = egress(reach ?? (from === undefined ? 'public' : reachOf(from)), fetch)
  const response = await get(url.href, { headers: { accept: 'image/*' }, signal })
  if (response.status !== 200) throw new IconRefusal(`${url.host} answered with the status ${response.status}`)
  return { bytes: new Uint8Array(await response.arrayBuffer()), mimeType: response.headers.get('content-type') }
}

/** Icons from anywhere else would tell strangers who looks at them. 2025-11-25/basic/index#icons */
function checkedAddress(src: string, places: readonly (string | URL)[]): URL {
  const url = URL.canParse(src) ? new URL(src) : undefined
  if (url?.protocol !== 'https:') throw new IconRefusal('It is neither inline nor at an https address')
  if (url.username !== '' || url.password !== '') throw new IconRefusal('Its address holds credentials')
  if (!places.some((place) => new URL(place).origin === url.origin))
    throw new IconRefusal(`${url.host} is not where its server is`)
  return url
}
