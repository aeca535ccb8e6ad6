import { visibleLine } from '../text/visible.js'

/** One reason why a value is refused, in words that a person or a model can act on. */
export type Issue = {
  /** JSON pointer to the value; '' is the root. */
  readonly path: string
  readonly keyword: string
  readonly message: string
  readonly expected?: string
  readonly got?: string
}

const excerptLength = 40
const listed = 10
const longestText = 400

/** Names a value by type and a short excerpt, never at length. */
export function describeValue(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 1 ? 'an array of 1 item' : `an array of ${value.length} items`
  if (value === undefined) return 'nothing'
  if (typeof value === 'object') return describeObject(value)
  if (typeof value === 'string') return `the string ${quoted(value)}`
  if (typeof value === 'number') return `the number ${value}`
  return typeof value === 'boolean' ? String(value) : `a ${typeof value}`
}

function quoted(text: string): string {
  const shown = visibleLine(JSON.stringify(text.slice(0, excerptLength)))
  return text.length > excerptLength ? `${shown}…` : shown
}

export function valueExcerpt(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  const text = JSON.stringify(value) ?? 'nothing'
  return visibleLine(text.length > excerptLength ? `${text.slice(0, excerptLength)}…` : text)
}

/** Keeps messages readable when a schema contains long or hidden text. */
export const clipText = (text: string): string => visibleLine(text.length > longestText ? `${text.slice(0, longestText)}…` : text)

export function listAlternatives(values: readonly unknown[], conjunction: string): string {
  const words = values.slice(0, listed).map(valueExcerpt)
  if (values.length > listed) return `${words.join(', ')} … (${values.length - listed} more)`
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} ${conjunction} ${words.at(-1)}`
}

function describeObject(value: object): string {
  const shown: string[] = []
  for (const key in value) {
    if (shown.length === 4) return `an object with ${shown.join(', ')}, …`
    shown.push(valueExcerpt(key))
  }
  return shown.length === 0 ? 'an empty object' : `an object with ${shown.join(', ')}`
}
