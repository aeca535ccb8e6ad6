import { CommanderError } from 'commander'
import { plainText } from 'toolwire/relay'
import { type CheckOutput, checkCommand, exitCodes, type OutputFlags } from './check-command.js'
import type { Emphasis } from './render/human.js'

export type CheckProgramOptions = {
  /** The command as the user types it: `toolwire-check`. */
  readonly name: string
  readonly env: NodeJS.ProcessEnv
  /** Stops the check; the report then shows the rest as not tried. */
  readonly signal: AbortSignal
  /** Printed for --version. */
  readonly version?: string
}

/** Runs a check from command-line arguments. Writes to the terminal of this process, and returns its exit code. */
export async function runCheckProgram(words: readonly string[], options: CheckProgramOptions): Promise<number> {
  const { name, version } = options
  let code: number = exitCodes.nothingMissing
  const exit = (given: number) => {
    code = given
  }
  const command = checkCommand({ name, env: options.env, exit, open: (flags) => openOutput(flags, options) })
  command.configureOutput({ outputError: (text, write) => write(usageError(name, text)) })
  if (version !== undefined) command.version(version, '-V, --version', 'print the version')
  try {
    await command.parseAsync([...words], { from: 'user' })
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown
  }
  return code
}

/** An error in one line that begins with the program's name. */
function usageError(name: string, text: string): string {
  const plain = text.replace(/^error: /, '').trim()
  const [program] = name.split(' ')
  return `${program}: ${plainText.visibleLine(plain.replaceAll('\n', ' ')).replace(/\.?$/, '.')} Run ${name} --help for usage.\n`
}

const colored: Emphasis = { red: (text) => `\u001b[31m${text}\u001b[39m`, dim: (text) => `\u001b[2m${text}\u001b[22m` }

function openOutput({ json, quiet, color, format }: OutputFlags, { env, signal }: CheckProgramOptions): CheckOutput {
  const { stdout, stderr } = process
  const isColored = color && !env.NO_COLOR && env.TERM !== 'dumb' && stdout.isTTY === true
  const isWatched = stderr.isTTY === true && !json && format !== 'json' && !quiet
  // One line that overwrites itself and erases the rest of a longer one.
  const progress = (line: string | undefined) => void stderr.write(`\r\u001b[K${line ?? ''}`)
  return {
    print: (text) => void stdout.write(text),
    progress: isWatched ? progress : undefined,
    ...(isColored && { emphasis: colored }),
    signal,
  }
}
