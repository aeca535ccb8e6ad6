import { percentDecoded } from '../../text/percent-decoded.js'
import type { Root } from '../ask.js'
import { hasDotDotSegment } from './traversal.js'

/**
 * Whether a file lies inside one of the folders that the person has opened. Takes a `file:` URI or an absolute path; dot segments
 * and percent-encoding are resolved, symbolic links are not: resolve those first (`fs.realpath`) where they could be planted.
 *
 * @example
 * ```ts
 * withinRoots([{ uri: 'file:///home/me' }], '/home/me/notes.txt')
 * ```
 */
export function withinRoots(roots: readonly Root[], path: string): boolean {
  const place = fileLocationOf(path)
  if (!place) return false
  return roots.some((root) => {
    const base = fileLocationOf(root.uri)
    return base !== undefined && base.host === place.host && contains(base.path, place.path)
  })
}

/** A separator or an end of text that only shows once it is decoded, which others may do before they resolve dot segments. */
const hidden = /%(?:2f|5c|00)|\0/i

/** To a file system several separators are one; a URL counts the nothing between them as a step that `..` takes back. */
const pathOfUri = /(?<=^file:\/\/[^/\\]*)[/\\].*$/is
const singleSeparators = (path: string): string => path.replace(/(?<!^)[/\\]{2,}/g, '/')

type FileLocation = { readonly host: string; readonly path: string }

/** Where a URI or a path leads, or undefined when that cannot be told for certain. */
function fileLocationOf(path: string): FileLocation | undefined {
  const uri = asUri(path)
  if (uri === undefined || hidden.test(uri) || !URL.canParse(uri)) return undefined
  const { host, pathname, search, hash } = new URL(uri.replace(pathOfUri, singleSeparators))
  // A query or a fragment names no file, and a tool that strips it would open another file than the one checked.
  if (search || hash) return undefined
  const plain = decoded(pathname)
  return plain === undefined ? undefined : { host, path: plain }
}

function asUri(path: string): string | undefined {
  if (/^file:\//i.test(path)) return path
  if (/^[A-Za-z]:[\\/]/.test(path)) return pathAsUriPath(`/${path.replaceAll('\\', '/')}`)
  return path.startsWith('/') && !path.startsWith('//') ? pathAsUriPath(path) : undefined
}

/** In a path, unlike in a URI, every character stands for itself. */
function pathAsUriPath(path: string): string | undefined {
  try {
    return `file://${encodeURI(path).replaceAll('?', '%3F').replaceAll('#', '%23')}`
  } catch {
    return undefined // half of a surrogate pair, which no file system can store
  }
}

/** Undefined where a dot segment is still left. */
function decoded(pathname: string): string | undefined {
  const plain = percentDecoded(pathname)
  if (plain === undefined || hasDotDotSegment(plain)) return undefined
  return plain.replace(/^\/[A-Z]:/, (drive) => drive.toLowerCase())
}

function contains(base: string, path: string): boolean {
  const folder = base.endsWith('/') ? base : `${base}/`
  return path.startsWith(folder) || `${path}/` === folder
}
