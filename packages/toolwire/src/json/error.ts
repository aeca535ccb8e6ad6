import type { Json } from './value.js'

/** Machine-readable reasons of a JsonError. */
export type JsonErrorCode = 'syntax' | 'utf8' | 'bom' | 'depth' | 'members' | 'duplicate' | 'surrogate' | 'number'

/** The place of the fault, and the parsed value if there is one, so that an error response can find its id. */
type JsonFault = { readonly at: string; readonly value?: Json }

/**
 * Thrown for a text that is refused. The message names the place of the fault, if known, and quotes nothing else of the text, so it
 * may be logged and sent back.
 *
 * @example
 * ```ts
 * const codeOf = (thrown: unknown) => (thrown instanceof JsonError ? thrown.code : undefined)
 * ```
 */
export class JsonError extends Error {
  override name = 'JsonError'
  readonly code: JsonErrorCode
  /** JSON pointer to the fault. */
  readonly at: string | undefined
  /** The parsed value, fault included, if the grammar of the text is valid. */
  readonly value: Json | undefined

  constructor(code: JsonErrorCode, message: string, { at, value }: Partial<JsonFault> = {}) {
    super(at === undefined ? message : `${message} at ${shownPointer(at)}`)
    this.code = code
    this.at = at
    this.value = value
  }
}

const longestSegment = 64
const longestPointer = 256

/** As a URI fragment (RFC 6901, section 6), so that a key cannot inject text into the message; long pointers are cut. */
function shownPointer(pointer: string): string {
  if (pointer === '') return 'the top'
  const segments = pointer.slice(0, 8 * longestPointer).split('/')
  const shown = segments.map(shownSegment).join('/')
  return shown.length > longestPointer ? `${shown.slice(0, longestPointer)}…` : shown
}

const shownSegment = (segment: string): string =>
  encodeURIComponent(segment.slice(0, longestSegment).toWellFormed()).replaceAll('%24', '$').replaceAll('%40', '@') +
  (segment.length > longestSegment ? '…' : '')
