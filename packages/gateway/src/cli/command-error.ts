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
