// What an answer says, read from the words and codes that a client of any make is given.
import type { How } from '../history.js'

export type Outcome = { readonly how: How; readonly text: string }

const notMade = /not made|was denied|too often|nothing was done|not approved|needs approval|for approval|too many|stopping/i

/** Of a result. */
export function outcomeOf(result: unknown): Outcome {
  const { content = [], isError } = result as { content?: readonly { readonly text?: string }[]; isError?: boolean }
  const text = content.map((block) => block.text ?? '').join('\n')
  if (!isError) return { how: 'done', text }
  return { how: notMade.test(text) && !text.includes('outcome_unknown') ? 'refused' : 'failed', text }
}

/** Of what was thrown instead: it has a code, a status, or a cause that has one. */
export function failureOf(thrown: unknown): Outcome {
  const text = textOf(thrown)
  const code = codeOf(thrown)
  return code === undefined ? { how: 'untyped', text } : { how: 'failed', text: `${code}: ${text}` }
}

const textOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown)).slice(0, 300)

function codeOf(thrown: unknown, depth = 0): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || depth > 4) return undefined
  if ('code' in thrown && (typeof thrown.code === 'number' || typeof thrown.code === 'string')) return String(thrown.code)
  if ('status' in thrown && typeof thrown.status === 'number') return `HTTP ${thrown.status}`
  // The official SDK sends nothing once its stream has ended, and its error has no code.
  if ('message' in thrown && thrown.message === 'Not connected') return 'disconnected'
  return 'cause' in thrown ? codeOf(thrown.cause, depth + 1) : undefined
}
