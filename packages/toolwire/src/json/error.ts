import type { Json } from './value.js'

/** What was wrong, for programs. */
export type JsonErrorCode = 'syntax' | 'utf8' | 'bom' | 'depth' | 'members' | 'duplicate' | 'surrogate' | 'number'

/** Where it was wrong, and what the text says otherwise: an answer to it may find the id there. */
type JsonFault = { readonly at: string; readonly value?: Json }

/**
 * Why a text was refused. The message names the place where one is known, and repeats nothing else of the text: it may be logged
 * and sent back.
 *
 * @example
 * ```ts
 * const codeOf = (thrown: unknown) => (thrown instanceof JsonError ? thrown.code : undefined)
 * ```
 */
export class JsonError extends Error {
  override name = 'JsonError'
  readonly code: JsonErrorCode
  /** The JSON pointer of the place. */
  readonly at: string | undefined
  /** The value of a text that is good grammar, with what is wrong in it. */
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
