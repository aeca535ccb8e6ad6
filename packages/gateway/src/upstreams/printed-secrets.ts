import { hideSecrets } from 'toolwire/guard'

const privateKey = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[^-]{0,8192}(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----)?/g

/** The output of a program, with apparent secrets masked. */
export const withoutPrintedSecrets = (text: string): string => hideSecrets(text.replace(privateKey, '[a private key]'))

const ends = /[\s"',;&<>(){}|]/

/** The beginning of a text, cut at the end of a word, because half a secret would not be recognized. */
export function cutAtWord(text: string, most: number): string {
  if (text.length <= most) return text
  let end = most
  while (end > 0 && !ends.test(text[end - 1] ?? '')) end--
  return `${text.slice(0, end)}…`
}
