import { percentDecoded } from '../../text/percent-decoded.js'
import type { Root } from '../ask.js'
import { hasDotDotSegment } from './traversal.js'

/**
 * Tells whether a file lies inside one of the person's open folders. Takes a `file:` URI or an absolute path. Resolves dot segments
 * and percent-encoding, but no symbolic links: resolve those first (`fs.realpath`) if someone could have planted them.
 *
 * @example
 * ```ts
 * withinRoots([{ uri: 'file:///home/me' }], '/home/me/notes.txt')
 * ```
 */
export function withinRoots(roots: readonly Root[], path: string): boolean {
  const place = fileLocationOf(path)
  return place !== undefined && roots.some((root) => isInFolder(fileLocationOf(root.uri), place))
}

export const isInFolder = (folder: FileLocation | undefined, file: FileLocation): boolean =>
  folder !== undefined && folder.host === file.host && contains(folder.path, file.path)

/** An encoded separator or NUL, which other programs may decode before they resolve dot segments. */
const hidden = /%(?:2f|5c|00)|\0/i

/** A file system treats several separators as one; a URL treats the empty segment between them as one that `..` removes. */
const pathOfUri = /(?<=^file:\/\/[^/\\]*)[/\\].*$/is
const singleSeparators = (path: string): string => path.replace(/(?<!^)[/\\]{2,}/g, '/')

export type FileLocation = { readonly host: string; readonly path: string }

/** The location of a URI or a path; undefined if it is uncertain. */
export function fileLocationOf(path: string): FileLocation | undefined {
  const uri = asUri(path)
  if (uri === undefined || hidden.test(uri) || !URL.canParse(uri)) return undefined
  const { host, pathname, search, hash } = new URL(uri.replace(pathOfUri, singleSeparators))
  // A query or fragment names no file, and a program that strips it would open another file than the one checked.
  if (search || hash) return undefined
  const plain = decoded(pathname)
  return plain === undefined ? undefined : { host, path: plain }
}

function asUri(path: string): string | undefined {
  if (/^file:\//i.test(path)) return path
  if (/^[A-Za-z]:[\\/]/.test(path)) return pathAsUriPath(`/${path.replaceAll('\\', '/')}`)
  return path.startsWith('/') && !path.startsWith('//') ? pathAsUriPath(path) : undefined
}

/** In a path, unlike in a URI, every character is literal. */
function pathAsUriPath(path: string): string | undefined {
  try {
    return `file://${encodeURI(path).replaceAll('?', '%3F').replaceAll('#', '%23')}`
  } catch {
    return undefined // half of a surrogate pair, which no file system can store
  }
}

/** Undefined if a dot segment is left. */
function decoded(pathname: string): string | undefined {
  const plain = percentDecoded(pathname)
  if (plain === undefined || hasDotDotSegment(plain)) return undefined
  return plain.replace(/^\/[A-Z]:/, (drive) => drive.toLowerCase())
}

function contains(base: string, path: string): boolean {
  const folder = base.endsWith('/') ? base : `${base}/`
  return path.startsWith(folder) || `${path}/` === folder
}
