/** A problem in a config and its place. The message never repeats a value, because the value may be a secret. */
export type ConfigProblem = {
  /** JSON pointer to the place; '' is the whole config. */
  readonly at: string
  readonly message: string
  /** Counted from 1; undefined if the config was not read from a text. */
  readonly line?: number | undefined
}

/** Thrown for a config that cannot be used. The message names file and line of each problem, and what to do about it. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly problems: readonly ConfigProblem[]
  readonly file: string | undefined
  readonly line: number | undefined

  constructor(problems: readonly ConfigProblem[], options: ErrorOptions & { file?: string | undefined } = {}) {
    super(problems.map((problem) => problemLines(problem, options.file)).join('\n'), options)
    this.problems = problems
    this.file = options.file
    this.line = problems.find(({ line }) => line !== undefined)?.line
  }
}

function problemLines({ at, line, message }: ConfigProblem, file: string | undefined): string {
  const place = [file, line].filter((part) => part !== undefined).join(':')
  return [place, at, message].filter((part) => part !== '').join(': ')
}

/** For `catch`: handles a ConfigError, and rethrows every other error. */
export const ifConfigError =
  <T>(handle: (error: ConfigError) => T) =>
  (thrown: unknown): T => {
    if (thrown instanceof ConfigError) return handle(thrown)
    throw thrown
  }

/** A problem of a flag or of the environment, which must not be looked for in a file. */
export const outsideProblem = (message: string): ConfigError => new ConfigError([{ at: '', message }], { file: '' })

export const problem = (at: string, message: string, line?: number): ConfigError => new ConfigError([{ at, message, line }])
