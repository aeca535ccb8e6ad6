/** What is wrong with a config, and where. No message repeats a value: it may be a secret. */
export type ConfigProblem = {
  /** JSON pointer to the place; '' is the whole. */
  readonly at: string
  readonly message: string
  /** Counted from 1; known where the problem stands in a text. */
  readonly line?: number | undefined
}

/** A config that cannot be used. The message names file and line of each problem, and what to do about it. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly problems: readonly ConfigProblem[]
  readonly file: string | undefined
  /** The line of the first problem. */
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

/** For `catch`: what becomes of a config that cannot be used; every other error goes on. */
export const ifConfigError =
  <T>(handle: (error: ConfigError) => T) =>
  (thrown: unknown): T => {
    if (thrown instanceof ConfigError) return handle(thrown)
    throw thrown
  }

export const problem = (at: string, message: string, line?: number): ConfigError => new ConfigError([{ at, message, line }])
