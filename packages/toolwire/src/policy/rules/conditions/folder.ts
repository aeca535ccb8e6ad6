import { normalized } from '../../../text/normalized.js'
import { percentDecoded } from '../../../text/percent-decoded.js'
import { hasDotDotSegment } from '../../../tools/uris/traversal.js'
import { withinRoots } from '../../../tools/uris/within-roots.js'
import { rulesProblem } from '../rules-error.js'

export type PathPosition = 'inside' | 'outside' | 'unclear'
type Folder = (path: unknown) => PathPosition

const everywhere = [{ uri: 'file:///' }]
/** Names of letters, digits, dashes and single dots, which can be read in only one way. */
const plain = /^(?:\/\.?[\w-]+(?:\.[\w-]+)*)+\/?$/
/** Parts of a path that some readers end it at, drop, or decode in a way of their own. */
const strange = /[\p{C}\p{Default_Ignorable_Code_Point}]|\.\.;|(?:^|[\\/])[. ]{3,}(?=[\\/]|$)|%u|%c[01]/iu
/** A drive letter. A path without one may be on any drive. */
const drive = /^(?:file:\/*)?[a-z]:/i
/** On a drive, a colon names a stream of a file or folder, and `~1` ends a short name, which belongs to a file with another name. */
const strangeOnDrive = /:|~\d/
const longestPath = 8_192
/** Maximum number of times a text is decoded to find other readings of it. */
const mostDecoding = 3

/** Returns a function that locates paths. A path is inside, or outside, only if every reader of it would agree. */
export function parseFolder(folder: string, at: string): Folder {
  if (!isPlace(folder) || hasDotDotSegment(folder))
    throw rulesProblem(at, 'a folder must be an absolute path or a file: URI without "..", such as /srv/data')
  const careless = looseSpelling(normalized(folder, 'NFKC').replaceAll('\\', '/'))
  const known = plain.test(folder) ? prefixOf(folder) : undefined
  return (path) => {
    if (typeof path !== 'string' || path.length > longestPath) return 'unclear'
    return known !== undefined && plain.test(path) ? byPrefix(known, path) : byReadings(folder, careless, path)
  }
}

const prefixOf = (folder: string) => (folder.endsWith('/') ? folder : `${folder}/`)

function byPrefix(folder: string, path: string): PathPosition {
  const place = prefixOf(path)
  if (place.startsWith(folder)) return 'inside'
  return place.toLowerCase().startsWith(folder.toLowerCase()) ? 'unclear' : 'outside'
}

function byReadings(folder: string, careless: string, path: string): PathPosition {
  if (!isPlace(path) || drive.test(path) !== drive.test(folder)) return 'unclear'
  // A tool that takes a URI for a relative path would resolve `..` from another folder.
  if (/^file:/i.test(path) && hasDotDotSegment(path)) return 'unclear'
  const readings = readingsOf(path)
  if (readings.some((reading) => strange.test(reading) || !isPlace(reading))) return 'unclear'
  if (drive.test(folder) && [folder, ...readings].some((reading) => strangeOnDrive.test(reading.replace(drive, ''))))
    return 'unclear'
  const answers = readings.flatMap((reading) => [isInside(folder, reading), isInside(careless, looseSpelling(reading))])
  if (answers.every((inside) => inside)) return 'inside'
  return answers.some((inside) => inside) ? 'unclear' : 'outside'
}

const isPlace = (path: string) => withinRoots(everywhere, path)
const isInside = (folder: string, path: string) => withinRoots([{ uri: folder }], path)

/** Texts that a path may become on its way to a disk. */
function readingsOf(path: string): string[] {
  const readings = new Set<string>()
  let texts = [path]
  for (let times = 0; times <= mostDecoding && texts.length > 0; times++) {
    for (const text of texts.flatMap(respelled)) readings.add(text)
    texts = [...readings].filter((text) => text.includes('%')).map(decoded)
  }
  return [...readings]
}

/** Tools that normalize turn full-width dots and slashes into plain ones; in URLs `a//..` is `a/`, in file systems it is not. */
function respelled(text: string): string[] {
  const narrow = normalized(text, 'NFKC').replaceAll('\\', '/')
  return [text, withoutGaps(text), narrow, withoutGaps(narrow)]
}

const withoutGaps = (path: string) => path.replace(/(?<!^)\/+/g, '/')

/** The path for systems where letter case and dots and spaces at the end of a name make no difference. */
const looseSpelling = (path: string): string =>
  // The upper case also makes ß and ss equal, and ς and σ.
  path.toUpperCase().toLowerCase().split('/').map(withoutTrail).join('/')

function withoutTrail(name: string): string {
  if (name === '.' || name === '..') return name
  let end = name.length
  while (name[end - 1] === '.' || name[end - 1] === ' ') end--
  return name.slice(0, end)
}

/** Decodes bytes that are not UTF-8 as one character each. */
const decoded = (text: string): string =>
  text.replace(
    /(?:%[0-9a-f]{2})+/gi,
    (run) => percentDecoded(run) ?? run.replace(/%(..)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  )
