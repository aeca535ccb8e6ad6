import { normalized } from '../../../text/normalized.js'
import { percentDecoded } from '../../../text/percent-decoded.js'
import { hasDotDotSegment } from '../../../tools/uris/traversal.js'
import { type FileLocation, fileLocationOf, isInFolder } from '../../../tools/uris/within-roots.js'
import { rulesProblem } from '../rules-error.js'
import { chargeDecision } from './condition-test.js'

export type PathPosition = 'inside' | 'outside' | 'unclear'
type Folder = (path: unknown) => PathPosition

/** Names of letters, digits, dashes and single dots, which can be read in only one way. */
const plain = /^(?:\/\.?[\w-]+(?:\.[\w-]+)*)+\/?$/
/** Parts of a path that some readers end it at, drop, or decode in a way of their own. */
const strange = /[\p{C}\p{Default_Ignorable_Code_Point}]|\.\.;|(?:^|[\\/])[. ]{3,}(?=[\\/]|$)|%u|%c[01]/iu
/** A drive letter. A path without one may be on any drive. */
const drive = /^(?:file:\/*)?[a-z]:/i
/** On a drive, a colon names a stream of a file or folder, and `~1` ends a short name, which belongs to a file with another name. */
const strangeOnDrive = /:|~\d/
const longestPath = 8_192
/** A path with plain names takes as long as this many steps of a schema; a reading of another one is parsed twice as a URL. */
const stepsToMatch = ({ length }: string): number => 4 + (length >> 4)
const stepsToRead = ({ length }: string): number => 256 + length * 8
/** Maximum number of times a text is decoded to find other readings of it. */
const mostDecoding = 3

/** Returns a function that locates paths. A path is inside, or outside, only if every reader of it would agree. */
export function parseFolder(folder: string, at: string): Folder {
  const place = localPlace(folder)
  if (!place || hasDotDotSegment(folder))
    throw rulesProblem(at, 'a folder must be an absolute path or a file: URI without "..", such as /srv/data')
  const careless = fileLocationOf(looseSpelling(normalized(folder, 'NFKC').replaceAll('\\', '/')))
  const known = plain.test(folder) ? prefixOf(folder) : undefined
  return (path) => {
    if (typeof path !== 'string' || path.length > longestPath) return 'unclear'
    chargeDecision(stepsToMatch(path), at)
    return known !== undefined && plain.test(path)
      ? byPrefix(known, path)
      : byReadings({ text: folder, place, careless, at }, path)
  }
}

const prefixOf = (folder: string) => (folder.endsWith('/') ? folder : `${folder}/`)

function byPrefix(folder: string, path: string): PathPosition {
  const place = prefixOf(path)
  if (place.startsWith(folder)) return 'inside'
  return place.toLowerCase().startsWith(folder.toLowerCase()) ? 'unclear' : 'outside'
}

type ParsedFolder = {
  readonly text: string
  readonly place: FileLocation
  readonly careless: FileLocation | undefined
  readonly at: string
}

function byReadings({ text: folder, place, careless, at }: ParsedFolder, path: string): PathPosition {
  chargeDecision(stepsToRead(path), at)
  // Some characters become 18 when they are normalized.
  if (drive.test(path) !== drive.test(folder) || normalized(path, 'NFKC').length > longestPath) return 'unclear'
  // A tool that takes a URI for a relative path would resolve `..` from another folder.
  if (/^file:/i.test(path) && hasDotDotSegment(path)) return 'unclear'
  const isOnDrive = drive.test(folder)
  if (isOnDrive && strangeOnDrive.test(folder.replace(drive, ''))) return 'unclear'
  const answers: boolean[] = []
  for (const reading of readingsOf(path)) {
    chargeDecision(stepsToRead(reading), at)
    const there = strange.test(reading) ? undefined : localPlace(reading)
    if (!there || (isOnDrive && strangeOnDrive.test(reading.replace(drive, '')))) return 'unclear'
    const loosely = fileLocationOf(looseSpelling(reading))
    answers.push(isInFolder(place, there), loosely !== undefined && isInFolder(careless, loosely))
  }
  if (answers.every((inside) => inside)) return 'inside'
  return answers.some((inside) => inside) ? 'unclear' : 'outside'
}

function localPlace(path: string): FileLocation | undefined {
  const place = fileLocationOf(path)
  return place?.host === '' ? place : undefined
}

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
