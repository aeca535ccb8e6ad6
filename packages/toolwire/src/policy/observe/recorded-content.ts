import { diag } from '@opentelemetry/api'
import type { JsonObject } from '../../json.js'
import { definitionError } from '../../tools/checks/definition-error.js'
import type { ToolResult } from '../../tools/result.js'
import type { ToolCall } from '../../tools/tool.js'

/** Content of a call: its arguments, its result, or an error message. */
export type ObservedContent = { readonly call: ToolCall } & (
  | { readonly what: 'arguments'; readonly value: JsonObject }
  | { readonly what: 'result'; readonly value: ToolResult }
  | { readonly what: 'message'; readonly value: string }
)

/** Returns the content that may be recorded, or undefined. Anything but text is written as JSON. */
export type RedactContent = (said: ObservedContent) => unknown

/** No content is recorded, unless `content` is true and `redact` returns it. */
export type ObserveContentOptions = { content?: false; redact?: undefined } | { content: true; redact: RedactContent }

export type RecordContent = (said: ObservedContent) => string | undefined

const longest = 8_192

/** Returns a recorder of redacted content; undefined if no content may be recorded. */
export function contentRecorder({ content = false, redact }: ObserveContentOptions): RecordContent | undefined {
  if (!content) return undefined
  if (typeof redact !== 'function')
    throw definitionError(
      'observe({ content: true }) needs `redact`, a function that returns the part of arguments and results that may be kept',
    )
  return (said) => {
    try {
      const kept = redact(said)
      return (typeof kept === 'string' ? kept : JSON.stringify(kept))?.slice(0, longest)
    } catch (thrown) {
      diag.error('toolwire: `redact` has thrown, so nothing was kept', thrown)
      return undefined
    }
  }
}
