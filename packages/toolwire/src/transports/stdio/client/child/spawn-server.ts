import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { Command } from './command.js'
import { environment } from './environment.js'
import { executable } from './executable.js'

/**
 * Starts the program of a server, in a process group of its own. On Windows, it finds `npx.cmd` for `npx` and escapes what cmd.exe
 * would interpret. The program sees a few safe variables, those of `inherit` and those of `env`.
 *
 * @example
 * ```ts
 * const child = spawnServer({ command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] })
 * ```
 */
export function spawnServer(command: Command): ChildProcessWithoutNullStreams {
  const env = environment(command)
  const { file, args, verbatim } = executable(command, env)
  return spawn(file, args, {
    cwd: command.cwd,
    env,
    stdio: 'pipe',
    // Except on Windows, this gives the child its own process group, so that everything it starts can be ended with it.
    detached: process.platform !== 'win32',
    windowsHide: true,
    windowsVerbatimArguments: verbatim,
  })
}
