import { checkOptions, optionsOf } from '../../tools/checks/known-options.js'
import { either, oneOf, someFunction, someObject, someText, someTexts } from '../../tools/checks/option-values.js'
import type { Icon } from '../../tools/content.js'
import { egress, type Fetch } from '../oauth/egress/egress.js'
import { type Reach, reachOf } from '../oauth/egress/reach.js'
import { OAuthFailure } from '../oauth/oauth-failure.js'
import type { PictureType } from './picture-format.js'
import { checkClaim, IconRefusal, pictureTypeOf } from './picture-type.js'

/** `Uint8Array<ArrayBuffer>`, which TypeScript before 5.7 cannot express. */
type Bytes = ReturnType<Uint8ArrayConstructor['from']>

/** An image to show, with the type that was found in its bytes. */
export type IconImage = { readonly bytes: Bytes; readonly mimeType: PictureType }

export type FetchIconOptions = {
  /** URL of the server that named the icon; icons may come from its origin. Leave it out for a server over stdio. */
  from?: string | URL
  /** More origins that icons may come from. */
  origins?: readonly string[]
  /** Addresses that may be contacted. By default public ones, plus private or loopback ones if `from` is such an address. */
  reach?: Reach
  /** Replaces `fetch`; it must check the addresses that host names resolve to. */
  fetch?: Fetch
  signal?: AbortSignal
  /** Called with the reason if there is no image. */
  onRefused?: (why: string) => void
}

const known = optionsOf<FetchIconOptions>()({
  from: either(someText, someObject),
  origins: someTexts,
  reach: oneOf('public', 'private', 'loopback'),
  'fetch onRefused': someFunction,
  signal: someObject,
})
const mostBytes = 1024 * 1024

/**
 * Fetches the image of an icon, or returns undefined if it is not safe to show. A safe icon is a PNG, JPEG, GIF or WebP of moderate size,
 * inline or over https from an allowed origin. It is requested without credentials, and limited to 1 MiB and 5 s.
 *
 * @example
 * const image = tool.icons[0] && (await fetchIcon(tool.icons[0], { from: 'https://shop.example/mcp' }))
 */
export async function fetchIcon(icon: Icon, options: FetchIconOptions = {}): Promise<IconImage | undefined> {
  checkOptions('fetchIcon()', options, known)
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

/** Decodes a `data:` URI. It must be base64, as the protocol requires for icons, and within the size limit. */
function readDataUri(uri: string) {
  const comma = uri.indexOf(',')
  const head = uri.slice(scheme.length, comma)
  if (comma < 0 || !head.toLowerCase().endsWith(marked)) throw new IconRefusal('The data of the icon is not base64')
  const tooLong = new IconRefusal(`The icon is longer than ${mostBytes} bytes`)
  if (uri.length - comma > (mostBytes / 3 + 2) * 4) throw tooLong
  const bytes = decoded(uri.slice(comma + 1))
  if (bytes.length > mostBytes) throw tooLong
  return { bytes, mimeType: head.slice(0, -marked.length) }
}

function decoded(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch (cause) {
    throw new IconRefusal('The data of the icon is not base64', { cause })
  }
}

async function fetched(src: string, { from, origins = [], reach, fetch, signal }: FetchIconOptions) {
  const url = checkedAddress(src, from === undefined ? origins : [from, ...origins])
  const get = egress(reach ?? (from === undefined ? 'public' : reachOf(from)), fetch)
  const response = await get(url.href, { headers: { accept: 'image/*' }, signal })
  if (response.status !== 200) throw new IconRefusal(`${url.host} answered with the status ${response.status}`)
  return { bytes: new Uint8Array(await response.arrayBuffer()), mimeType: response.headers.get('content-type') }
}

/** Allows only these origins, because fetching icons from elsewhere tells strangers who looks at them. 2025-11-25/basic/index#icons */
function checkedAddress(src: string, places: readonly (string | URL)[]): URL {
  const url = URL.canParse(src) ? new URL(src) : undefined
  if (url?.protocol !== 'https:') throw new IconRefusal('The icon is neither inline nor at an https address')
  if (url.username !== '' || url.password !== '') throw new IconRefusal('The address of the icon contains credentials')
  if (!places.some((place) => new URL(place).origin === url.origin))
    throw new IconRefusal(`${url.host} is not an allowed origin for this icon. Add it to \`origins\`.`)
  return url
}
