// Reads an outcome from the texts and codes that clients of any make get.
import type { AnswerKind } from '../history.js'

export type Outcome = { readonly how: AnswerKind; readonly text: string }

const notMade =
  /not made|was denied|too often|nothing was done|not approved|needs approval|for approval|too many|stopping|^unknown tool: .* not available/i

export function outcomeOf(result: unknown): Outcome {
  const { content = [], isError } = result as { content?: readonly { readonly text?: string }[]; isError?: boolean }
  const text = content.map((block) => block.text ?? '').join('\n')
  if (!isError) return { how: 'done', text }
  return { how: notMade.test(text) && !text.includes('outcome_unknown') ? 'refused' : 'failed', text }
}

/** The outcome of an error, by its code or status, or that of its cause. */
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
  // The official SDK sends nothing after its stream has ended, and throws an error without a code.
  if ('message' in thrown && thrown.message === 'Not connected') return 'disconnected'
  return 'cause' in thrown ? codeOf(thrown.cause, depth + 1) : undefined
}
