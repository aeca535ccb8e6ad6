import { type CheckOutput, checkCommand } from '@toolwire/check'
import { Command, CommanderError } from 'commander'
import { exitCodes, interruptedError } from './command-error.js'
import type { RunCommand } from './command-spec.js'
import { openTerminal } from './terminal/terminal.js'
import { usageError } from './usage-error.js'

/** It reads its words itself: what it checks may be a program with options of its own. */
export const run: RunCommand = async ({ operands, env, signal }) => {
  let code: number = exitCodes.ok
  const program = new Command('toolwire').configureOutput({ outputError: (text, write) => write(usageError(text)) })
  const exit = (given: number) => {
    code = given
  }
  checkCommand(program, exit, (flags) => outputFor(flags, { env, signal }))
  try {
    await program.parseAsync([...operands], { from: 'user' })
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown
  }
  if (signal.aborted) throw interruptedError()
  return code
}

type Flags = Parameters<typeof openTerminal>[0]

function outputFor(flags: Flags, { env, signal }: { env: NodeJS.ProcessEnv; signal: AbortSignal }): CheckOutput {
  const { json, quiet, paint } = openTerminal(flags, env)
  const { stderr } = process
  const isWatched = stderr.isTTY === true && !json && flags.format !== 'json' && !quiet
  // One line that writes over itself; the rest of a longer one before it is taken away.
  const progress = (line: string | undefined) => void stderr.write(`\r\u001b[K${line ?? ''}`)
  return {
    print: (text) => void process.stdout.write(text),
    progress: isWatched ? progress : undefined,
    emphasis: paint,
    signal,
  }
}
