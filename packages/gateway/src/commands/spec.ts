import type { Terminal } from './terminal/terminal.js'

/** What was typed, taken apart. */
export type Input = {
  readonly operands: readonly string[]
  readonly options: { readonly [name: string]: unknown }
  /** What stands after `--`: a program that is a server. */
  readonly command: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal
}

/** Does it, and gives the exit code if that is not 0. */
export type Run = (input: Input, terminal: Terminal) => Promise<number | undefined>

/** An option: `--port <number>`, and what it is for. */
export type OptionSpec = { readonly flags: string; readonly about: string; readonly many?: true }

/** A command as help, completion and the parser see it. What it does is loaded when it is wanted. */
export type CommandSpec = {
  readonly name: string
  readonly about: string
  readonly more?: string
  readonly operands?: readonly (readonly [name: string, about: string])[]
  readonly options?: readonly OptionSpec[]
  readonly examples?: readonly (readonly [line: string, about: string])[]
  readonly hidden?: true
  readonly load?: () => Promise<Run>
  readonly commands?: readonly CommandSpec[]
}

export function textOf({ options }: Pick<Input, 'options'>, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

export const isOn = ({ options }: Input, name: string): boolean => options[name] === true

/** Switched off by its `--no-…`. */
export const isOff = ({ options }: Input, name: string): boolean => options[name] === false

export function textsOf({ options }: Input, name: string): readonly string[] {
  const value = options[name]
  return Array.isArray(value) ? value.map(String) : []
}
