// Tells where an invisible character is needed. Each function reads only neighbours that stay, so a second pass finds nothing new.

// Scripts in which joiners shape letters, and Mongolian with its own selectors. https://unicode.org/reports/tr31/#Layout_and_Format_Control_Characters
const shaped =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Mongolian}]/u
const shapedButInvisible = /\u061c|[\u180b-\u180d\u180f]|\u180e/
const picture = /\p{Extended_Pictographic}/u
const skinTone = /\p{Emoji_Modifier}/u
const han = /\p{Script=Han}/u
const variedSign = /[\p{Sm}\p{Script=Myanmar}]/u
const keycapBase = /[0-9#*]/
const emojiStyle = '\ufe0f'

/** A joiner between two pictures, or after a letter that it shapes. */
export function isNeededJoiner(text: string, at: number): boolean {
  const before = pointBefore(text, at)
  if (before < '\u00a9') return false
  if (isShaped(before)) return true
  if (text[at] !== '\u200d' || !picture.test(pointAt(text, at + 1))) return false
  const base = before === emojiStyle ? pointBefore(text, at - 1) : before
  return picture.test(base) || skinTone.test(base)
}

const isShaped = (point: string) => shaped.test(point) && !shapedButInvisible.test(point)

/** A variation selector after a character that has variants. */
export function isNeededSelector(text: string, at: number): boolean {
  const before = pointBefore(text, at)
  const selector = text.codePointAt(at) ?? 0
  if (selector === 0xfe0e || selector === 0xfe0f) return styles(text, at, before)
  if (selector <= 0x180f) return isShaped(before)
  if (han.test(before)) return selector <= 0xfe02 || selector >= 0xe0100
  return selector === 0xfe00 && variedSign.test(before)
}

/** A selector of text or emoji style after a character that has both styles. */
const styles = (text: string, at: number, before: string): boolean =>
  keycapBase.test(before) ? text[at + 1] === '\u20e3' : picture.test(before)

// A black flag, then a region and its part in tag characters, then the tag that ends it. https://unicode.org/reports/tr51/#flag-emoji-tag-sequences
const flag = /\u{1f3f4}[\u{e0061}-\u{e007a}]{2}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,3}\u{e007f}/uy
const longestFlag = 12

export function isFlagTag(text: string, at: number): boolean {
  let start = at - 2
  while (text.charCodeAt(start) === 0xdb40 && at - start < longestFlag) start -= 2
  if (!text.startsWith('\u{1f3f4}', start)) return false
  flag.lastIndex = start
  return flag.test(text) && at < flag.lastIndex
}

const pointAt = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at) ?? 0)

/** The text is assumed to be well-formed: a low surrogate follows its high surrogate. */
function pointBefore(text: string, at: number): string {
  const unit = text.charCodeAt(at - 1)
  return unit >= 0xdc00 && unit <= 0xdfff ? text.slice(at - 2, at) : text.slice(Math.max(0, at - 1), at)
}
