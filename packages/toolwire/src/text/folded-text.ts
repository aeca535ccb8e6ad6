// Folds text so that look-alike letters become Latin ones.
import { latePattern } from './late-pattern.js'
import { normalized } from './normalized.js'

/** Folded text. `at` holds, for each of its code units, the index in the text it was made from. */
export type FoldedText = { readonly text: string; readonly at: Uint32Array }

const unseen = latePattern(String.raw`[\p{Default_Ignorable_Code_Point}\p{C}]`, 'gu')
const unread = latePattern(String.raw`[\p{Default_Ignorable_Code_Point}\p{M}\p{C}]`, 'u')
const space = latePattern(String.raw`[\s\p{Z}]`, 'u')
const longestFold = 4

/**
 * A name without its letter case, width and invisible characters. Rules compare names in this form before they refuse a call. Accents and
 * look-alike letters stay, since `müller` and `muller` may be two callers. A scan warns about such names.
 */
export const foldName = (name: string): string =>
  /^[a-z0-9_.-]*$/.test(name) ? name : normalized(name, 'NFKC').replace(unseen(), '').toLowerCase()

/** Folds text to lower-case letters with single spaces: plain letters for look-alikes (NFKD), no accents or hidden characters. */
export const foldText = (text: string): FoldedText =>
  foldedBy(text, (point) => (point < 0x80 ? foldedAscii(point) : foldedPoint(point)))

/** Folds each code point. Only the first of several spaces in a row is kept. */
function foldedBy(text: string, fold: (point: number, at: number) => string): FoldedText {
  const made: string[] = []
  let places = new Uint32Array(text.length + longestFold)
  let length = 0
  for (let at = 0; at < text.length; ) {
    const point = text.codePointAt(at) ?? 0
    const folded = fold(point, at)
    if (folded !== '' && !(folded === ' ' && made.at(-1) === ' ')) {
      if (length + folded.length > places.length) places = twiceAsLong(places)
      places.fill(at, length, length + folded.length)
      length += folded.length
      made.push(folded)
    }
    at += point > 0xffff ? 2 : 1
  }
  return { text: made.join(''), at: places }
}

function twiceAsLong(places: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(2 * places.length + longestFold)
  longer.set(places)
  return longer
}

const foldedAscii = (point: number): string => {
  if (point > 0x20 && point < 0x7f) return String.fromCharCode(point).toLowerCase()
  return point === 0x20 || (point >= 0x09 && point <= 0x0d) ? ' ' : ''
}

const seen = new Map<number, string>()
const mostSeen = 4_096

function foldedPoint(point: number): string {
  const known = seen.get(point)
  if (known !== undefined) return known
  const fold = foldOf(String.fromCodePoint(point))
  if (seen.size < mostSeen) seen.set(point, fold)
  return fold
}

function foldOf(character: string): string {
  const parts = [...character.normalize('NFKD')]
  // Some characters decompose to a whole sentence, which would make the text as many times longer.
  return parts.length > longestFold ? character : parts.map((part) => foldOfPart(part)).join('')
}

function foldOfPart(part: string): string {
  if (space().test(part)) return ' '
  if (unread().test(part)) return ''
  return latinLookAlikes.get(part) ?? latinLookAlikes.get(part.toLowerCase()) ?? part.toLowerCase()
}

const figures: { readonly [figure: string]: string } = { '0': 'o', '1': 'l', i: 'l', '3': 'e', '4': 'a', '5': 's', '7': 't' }
const signs: { readonly [sign: string]: string } = { '!': 'l', '|': 'l', '@': 'a', $: 's' }
const letter = latePattern(String.raw`[\p{L}\p{N}]`, 'u')

/** Keeps only letters and digits, and reads figures and signs as the letters they resemble: h-y-p-h-e-n-e-d or 1337 words become plain. */
export const lettersOnly = ({ text }: FoldedText): FoldedText =>
  foldedBy(text, (point, at) => {
    const character = String.fromCodePoint(point)
    return figures[character] ?? signAt(text, at) ?? (isLetter(point, character) ? character : '')
  })

/** Key by which names are compared: folded letters and digits, without separators. */
export const comparableName = (name: string): string => lettersOnly(foldText(name)).text

/** A sign counts as a letter only before a letter or digit: the "!" of "Attention!" does not. */
function signAt(text: string, at: number): string | undefined {
  const sign = signs[text[at] ?? '']
  return sign !== undefined && asciiLetter.test(text[at + 1] ?? '') ? sign : undefined
}

const asciiLetter = /[a-z0-9]/
const isLetter = (point: number, character: string) =>
  point < 0x80 ? (point >= 0x61 && point <= 0x7a) || (point >= 0x30 && point <= 0x39) : letter().test(character)

// Letters of other scripts that look like Latin ones, after Unicode's confusables. https://www.unicode.org/reports/tr39/#Confusable_Detection
// Each Latin letter is followed by its look-alikes: Cyrillic, Greek, Armenian, Cherokee, IPA and small capitals.
const lookAlikes = [
  'aаӑӓαɑᴀАΑᎪ bьЬВвΒβƄʙᏴᏏ cсСϲᴄᏟƈⅽ dԁԀɗժᎠᴅ eеЕєҽεΕϵҿɛᎬᴇ℮ə fƒϝғքꞙſ gɡԌցɢᏀᶃ hһҺНнΗհᏂᎻʜ iіІїιΙɩıӀӏᎥɪ jјЈϳյᎫᴊ',
  'kкКκΚᏦᴋҝ lⅼլʟᏞ mмМΜϻᎷᴍ nпΝηոռɴ oоОοΟσօՕᴏӧ०٥ pрРρΡᏢᴘ qԛԚզգ rгɾᎡᏒʀ sѕЅꜱᏚʂՏ tтТτΤᎢᴛ uυսʋᴜՍ vѵѴνᏙᴠ wԝԜшωѡաᴡᎳ',
  'xхХχΧҳ yуУүγΥҮყʏ zΖᏃᴢʐ',
].flatMap((line) => line.split(' '))

const latinLookAlikes = new Map(lookAlikes.flatMap(([latin = '', ...others]) => others.map((other) => [other, latin] as const)))
