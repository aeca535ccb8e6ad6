import { visible } from './visible.js'

const mostCauses = 8
const longestDetail = 2_000

/**
 * Formats a thrown value and its causes for a terminal. Hidden characters are written as \u{…}, and all lines but the first are indented,
 * because messages may quote untrusted text. It never throws.
 */
export function errorText(thrown: unknown): string {
  try {
    return visible(describeThrown(thrown, mostCauses)).replaceAll('\n', '\n  ')
  } catch {
    return 'something that cannot be printed'
  }
}

function describeThrown(thrown: unknown, most: number): string {
  if (!(thrown instanceof Error)) return typeof thrown === 'object' && thrown !== null ? membersText(thrown) : String(thrown)
  const causes = causesOf(thrown).slice(0, most)
  return [trace(thrown), ...details(thrown), ...causes.map((cause) => `[cause]: ${describeThrown(cause, most - 1)}`)].join('\n')
}

/** The stack begins with the old name if a class sets its own name later, so the first line is rebuilt. */
function trace({ name, message, stack = '' }: Error): string {
  const head = message === '' ? name : `${name}: ${message}`
  const at = message === '' ? stack.indexOf('\n') : stack.indexOf(message)
  return at < 0 ? `${head}\n${stack}` : `${head}${stack.slice(at + message.length)}`
}

function causesOf(thrown: Error): readonly unknown[] {
  const several = thrown instanceof AggregateError ? thrown.errors : []
  return thrown.cause === undefined ? several : [thrown.cause, ...several]
}

const printedMembers: ReadonlySet<string> = new Set(['name', 'message', 'stack', 'cause', 'errors'])

/** Other properties of an error, such as a code. */
function details(thrown: Error): string[] {
  const others = Object.keys(thrown).filter((key) => !printedMembers.has(key))
  const text =
    others.length === 0 ? '{}' : membersText(Object.fromEntries(others.map((key) => [key, thrown[key as keyof Error]])))
  return text === '{}' ? [] : [text]
}

/** Falls back to `String()` for a value that JSON cannot represent. */
function membersText(value: object): string {
  try {
    const text = JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? String(member) : member))
    return text.slice(0, longestDetail)
  } catch {
    return String(value)
  }
}
