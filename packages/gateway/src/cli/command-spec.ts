import type { Terminal } from './terminal/terminal.js'

/** What was typed, taken apart. */
export type CommandInput = {
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
export type RunCommand = (input: CommandInput, terminal: Terminal) => Promise<number | undefined>

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
  readonly load?: () => Promise<RunCommand>
  readonly commands?: readonly CommandSpec[]
}

export function optionText({ options }: Pick<CommandInput, 'options'>, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

export const isOptionOn = ({ options }: CommandInput, name: string): boolean => options[name] === true

/** Switched off by its `--no-…`. */
export const isOptionOff = ({ options }: CommandInput, name: string): boolean => options[name] === false

export function optionTexts({ options }: CommandInput, name: string): readonly string[] {
  const value = options[name]
  return Array.isArray(value) ? value.map(String) : []
}
