import { type CommandInput, exitCodes } from './command.js'
import { errorReportOf } from './error-report.js'
import { parseCommand } from './parse-command.js'
import { openTerminal } from './terminal/terminal.js'

export async function main(words: readonly string[]): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', endOfPipe)
  const surroundings = { env: process.env, cwd: process.cwd(), signal: stopSignal() }
  process.exit(await runWords(words, surroundings).then(flushed))
}

/** Runs the command line, and returns the exit code. */
export async function runWords(words: readonly string[], given: Pick<CommandInput, 'env' | 'cwd' | 'signal'>): Promise<number> {
  const parsed = await parseCommand(words)
  if ('exitCode' in parsed) return parsed.exitCode
  const { load, options } = parsed
  const terminal = openTerminal(options, given.env)
  try {
    const run = await load()
    return (await run({ ...parsed, ...given }, terminal)) ?? exitCodes.ok
  } catch (thrown) {
    if (given.signal.aborted) return exitCodes.interrupted
    const { message, exitCode } = errorReportOf(thrown)
    terminal.fail(message, thrown)
    return exitCode
  }
}

/** Ends quietly if the reader closes the pipe, as `head` does. */
function endOfPipe(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(exitCodes.ok)
  throw error
}

/** Waits for pipes, whose writes are asynchronous. */
async function flushed(code: number): Promise<number> {
  const written = (stream: NodeJS.WriteStream) => new Promise<void>((resolve) => stream.write('', () => resolve()))
  await Promise.all([written(process.stdout), written(process.stderr)])
  return code
}

/** Aborted by the first Ctrl-C, so that commands can clean up. The second one ends the process. */
function stopSignal(): AbortSignal {
  const controller = new AbortController()
  const stop = () => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted)
    controller.abort(new Error('Stopped'))
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return controller.signal
}
