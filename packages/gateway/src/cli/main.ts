import { type CommandInput, exitCodes } from './command.js'
import { errorReportOf } from './error-report.js'
import { parseCommand } from './parse-command.js'
import { openTerminal } from './terminal/terminal.js'

export async function main(words: readonly string[]): Promise<void> {
  const stopping = stopController()
  process.stdout.on('error', (error) => {
    throwUnlessClosed(error)
    if (!services.has(words[0] ?? '')) process.exit(exitCodes.closedPipe)
    stopping.abort(new Error('The reader of stdout has gone'))
  })
  process.stderr.on('error', throwUnlessClosed)
  const surroundings = { env: process.env, cwd: process.cwd(), signal: stopping.signal }
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

/** Commands that have connections and files to close when they end. */
const services: ReadonlySet<string> = new Set(['up', 'bridge'])

/** A reader that closes the pipe, as `head` does, is no fault. */
function throwUnlessClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

/** Waits for pipes, whose writes are asynchronous. The error of a closed one is emitted after the callback of the write. */
async function flushed(code: number): Promise<number> {
  const written = (stream: NodeJS.WriteStream) => new Promise<void>((resolve) => stream.write('', () => setImmediate(resolve)))
  await Promise.all([written(process.stdout), written(process.stderr)])
  return code
}

/** Aborted by the first Ctrl-C, so that commands can clean up. The second one ends the process. */
function stopController(): AbortController {
  const controller = new AbortController()
  const stop = () => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted)
    controller.abort(new Error('Stopped'))
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return controller
}
