/** What was wrong, for programs. */
export type JsonErrorCode = 'syntax' | 'utf8' | 'bom' | 'depth' | 'members' | 'duplicate' | 'surrogate' | 'number'

/** Why a text was refused. The message never repeats any of the text: it may be logged and sent back. */
export class JsonError extends Error {
  override name = 'JsonError'
  readonly code: JsonErrorCode

  constructor(code: JsonErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
