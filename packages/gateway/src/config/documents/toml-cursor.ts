import { type ConfigError, problem } from '../config-error.js'
import { lineAt } from './document.js'
import { TomlTable } from './toml-table.js'

/** A text of TOML, and how far it has been read. */
export class TomlCursor {
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

  /** What a sticky pattern finds right here. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const [found] = pattern.exec(this.text) ?? []
    if (found !== undefined) this.at += found.length
    return found
  }

  skip(pattern: RegExp): void {
    this.match(pattern)
  }

  /** Blanks, line ends and comments. */
  gap(): void {
    this.skip(/(?:[ \t\n]|\r\n|#[^\0-\x08\n-\x1f\x7f]*)*/y)
  }

  newTable(): TomlTable {
    return new TomlTable((message) => this.fault(message))
  }

  fault(message: string): ConfigError {
    return problem('', message, lineAt(this.text, this.at))
  }

  fail(message: string): never {
    throw this.fault(message)
  }
}
