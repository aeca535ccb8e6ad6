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

export const stopped = ({ signal }: Pick<CommandInput, 'signal'>): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Does it, and gives the exit code if that is not 0. */
export type RunCommand = (input: CommandInput, terminal: Terminal) => Promise<number | undefined>

/** What was typed, and where the answer goes. */
export type CommandContext = { readonly input: CommandInput; readonly terminal: Terminal }

/** An option: `--port <number>`, what it is for, and whether it may be there several times. */
export type OptionSpec = readonly [flags: string, about: string, many?: 'many']

/** A command as help, completion and the parser see it. What it does is loaded when it is wanted. */
export type CommandSpec = {
  readonly name: string
  readonly about: string
  readonly more?: string
  readonly operands?: readonly (readonly [name: string, about: string])[]
  readonly options?: readonly OptionSpec[]
  readonly examples?: readonly (readonly [line: string, about: string])[]
  readonly load?: () => Promise<RunCommand>
  readonly commands?: readonly CommandSpec[]
}

type CommandDetails = Omit<CommandSpec, 'name' | 'about'>

export const command = (name: string, about: string, rest: CommandDetails): CommandSpec => ({ name, about, ...rest })

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

/** What scripts are told. */
export const exitCodes = {
  ok: 0,
  /** It was done, and the answer is no: the tool failed, the gateway refused the call, the log is not as it was written. */
  failed: 1,
  /** What was typed, or a file that was named, is wrong. Nothing was done. */
  usage: 2,
  /** Not sent, because the person at the terminal said no; or turned away for want of a key. */
  refused: 3,
  /** The gateway or the server cannot be reached, or did not answer. */
  connection: 4,
  interrupted: 130,
} as const

/** Something that went wrong, in a sentence that says what to do. */
export class CommandError extends Error {
  override name = 'Trouble'
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

export const usageProblem = (message: string): CommandError => new CommandError(message, exitCodes.usage)
export const unreachableError = (message: string, cause?: unknown): CommandError =>
  new CommandError(message, exitCodes.connection, { cause })
export const refusedError = (message: string): CommandError => new CommandError(message, exitCodes.refused)
export const interruptedError = (): CommandError => new CommandError('Stopped', exitCodes.interrupted)
