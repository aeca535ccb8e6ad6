import type { Terminal } from './terminal/terminal.js'

export type CommandInput = {
  readonly operands: readonly string[]
  readonly options: { readonly [name: string]: unknown }
  /** The words after `--`: the command of a server. */
  readonly command: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly signal: AbortSignal
}

export const stopped = ({ signal }: Pick<CommandInput, 'signal'>): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Runs the command, and returns the exit code if it is not 0. */
export type RunCommand = (input: CommandInput, terminal: Terminal) => Promise<number | undefined>

export type CommandContext = { readonly input: CommandInput; readonly terminal: Terminal }

/** An option: its flags (`--port <number>`), its description, and whether it may be repeated. */
export type OptionSpec = readonly [flags: string, about: string, many?: 'many']

/** A command as help, completion and the parser see it. Its implementation is loaded on demand. */
export type CommandSpec = {
  readonly name: string
  readonly summary: string
  readonly more?: string
  readonly operands?: readonly (readonly [name: string, about: string])[]
  readonly options?: readonly OptionSpec[]
  readonly examples?: readonly (readonly [line: string, about: string])[]
  readonly load?: () => Promise<RunCommand>
  readonly commands?: readonly CommandSpec[]
}

type CommandDetails = Omit<CommandSpec, 'name' | 'summary'>

export const command = (name: string, summary: string, rest: CommandDetails): CommandSpec => ({ name, summary, ...rest })

export function optionText({ options }: Pick<CommandInput, 'options'>, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

export const isOptionOn = ({ options }: CommandInput, name: string): boolean => options[name] === true

/** Switched off by its `--no-…` form. */
export const isOptionOff = ({ options }: CommandInput, name: string): boolean => options[name] === false

export function optionTexts({ options }: CommandInput, name: string): readonly string[] {
  const value = options[name]
  return Array.isArray(value) ? value.map(String) : []
}

/** Exit codes for scripts. */
export const exitCodes = {
  ok: 0,
  /** The work could not be done, or its result is negative: a port is in use, the tool failed, the log was altered. */
  failed: 1,
  /** The arguments or a named file are wrong. Nothing was done. */
  usage: 2,
  /** The user at the terminal declined, or a credential is missing. */
  refused: 3,
  /** The gateway or the server cannot be reached, or did not answer. */
  connection: 4,
  interrupted: 130,
  /** The reader of stdout closed it, as `head` does. */
  closedPipe: 141,
} as const

/** The exit code for an answer of the management API. */
export function exitCodeOfStatus(status: number): number {
  if (status === 400) return exitCodes.usage
  if (status === 401 || status === 403) return exitCodes.refused
  return status >= 500 ? exitCodes.connection : exitCodes.failed
}

/** A failure, in a sentence that says what to do. */
export class CommandError extends Error {
  override name = 'CommandError'
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
