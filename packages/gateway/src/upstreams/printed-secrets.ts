import { hideSecrets } from 'toolwire/guard'

/** A name and a separator before a value, as programs print settings and headers. */
const setting = /(?<![\w-])([\w-]{1,64})["']?[ \t]{0,3}[=:][ \t]{0,3}["']?(?:(?:Bearer|Basic) {1,3})?(?=[^\s"',;&]{6})/gi
const settingValue = /[^\s"',;&]+/y
const privateKey = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[^-]{0,8192}(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----)?/g

/** The output of a program, with apparent secrets masked. */
export const withoutPrintedSecrets = (text: string): string =>
  hideSecrets(withoutNamedSecrets(text.replace(privateKey, '[a private key]')))

/** Goes on within the value of a name that is harmless, because it may have a name of its own: `shop: password=…`. */
function withoutNamedSecrets(text: string): string {
  let clean = ''
  let at = 0
  for (const { 0: before, 1: name, index } of text.matchAll(setting)) {
    const notice = hideSecrets('.', name)
    if (notice === '.' || index < at) continue
    settingValue.lastIndex = index + before.length
    settingValue.test(text)
    clean += `${text.slice(at, index)}${before}${notice}`
    at = settingValue.lastIndex
  }
  return clean + text.slice(at)
}

const ends = /[\s"',;&<>(){}|]/

/** The beginning of a text, cut at the end of a word, because half a secret would not be recognized. */
export function cutAtWord(text: string, most: number): string {
  if (text.length <= most) return text
  let end = most
  while (end > 0 && !ends.test(text[end - 1] ?? '')) end--
  return `${text.slice(0, end)}…`
}
