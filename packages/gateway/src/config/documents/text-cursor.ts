import { type ConfigError, problem } from '../config-error.js'
import { lineAt } from './document.js'

/** A text and the position up to which it has been read. */
export class TextCursor {
  readonly text: string
  at = 0

  constructor(text: string) {
    this.text = text
  }

  get done(): boolean {
    return this.at >= this.text.length
  }

  peek(mark: string): boolean {
    return this.text.startsWith(mark, this.at)
  }

  take(mark: string): boolean {
    if (!this.peek(mark)) return false
    this.at += mark.length
    return true
  }

  /** Consumes and returns the match of a sticky pattern at the current position. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const [found] = pattern.exec(this.text) ?? []
    if (found !== undefined) this.at += found.length
    return found
  }

  fault(message: string, at: number = this.at): ConfigError {
    return problem('', message, lineAt(this.text, at))
  }

  fail(message: string): never {
    throw this.fault(message)
  }
}
