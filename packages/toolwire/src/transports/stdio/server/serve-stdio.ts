// spec 2025-11-25, basic/transports#stdio

import type { Served } from '../../../peer/application.js'
import type { Caller } from '../../../tools/caller.js'
import { checkOptions, optionsOf } from '../../../tools/checks/known-options.js'
import { atLeast, someObject } from '../../../tools/checks/option-values.js'
import { surviveRejections } from '../../survive-rejections.js'
import { serveLines } from './serve-lines.js'

export type StdioOptions = {
  /** By default the user who started the process. */
  readonly caller?: Caller
  /** Longest message accepted, in bytes. */
  readonly limit?: number
}

const known = optionsOf<StdioOptions>()({ caller: someObject, limit: atLeast(0) })

/** Milliseconds for answers in flight after SIGTERM: clients send SIGKILL after five seconds. */
const drainMs = 2_500
/** Milliseconds for the code after `serveStdio` before the process is ended. */
const farewellMs = 300

/**
 * Serves the process that started this one over stdin and stdout, until stdin ends or SIGTERM comes. Other output, such as
 * console.log, goes to stderr. Afterwards the process ends soon, even when handlers are still running.
 *
 * @example
 * ```ts
 * await serveStdio(app)
 * ```
 */
export async function serveStdio(app: Served, options: StdioOptions = {}): Promise<void> {
  checkOptions('serveStdio()', options, known)
  const stdout = reserveStdout()
  const leaving = new AbortController()
  const terminate = () => void app['~application'].drain(drainMs).then(() => leaving.abort())
  const release = surviveRejections()
  process.once('SIGTERM', terminate)
  process.once('SIGINT', terminate)
  try {
    await serveLines(app, { ...options, readable: process.stdin, writable: stdout, signal: leaving.signal })
    await waitUntilFlushed(stdout)
  } finally {
    release()
    process.off('SIGTERM', terminate)
    process.off('SIGINT', terminate)
    process.stdin.destroy()
    // Handlers that never end must not keep a process without a client alive. spec 2026-07-28, basic/transports/stdio#shutdown
    setTimeout(() => process.exit(), farewellMs).unref()
  }
}

type Stdout = Parameters<typeof serveLines>[1]['writable']

/** Reserves stdout for the protocol: other output would corrupt it, so it goes to stderr. */
function reserveStdout(): Stdout {
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write // the same overloads
  stdout.on('error', ignoreAfterFirst)
  return {
    write: (chunk) => write(chunk),
    cork: () => stdout.cork(),
    uncork: () => stdout.uncork(),
    once: (event, listener) => stdout.once(event, listener),
    get writableLength() {
      return stdout.writableLength
    },
  }
}

/** The listener of serveLines notices once that a client has gone; later writes fail too, which means nothing more. */
const ignoreAfterFirst = () => {}

async function waitUntilFlushed(stdout: Stdout): Promise<void> {
  if (stdout.writableLength === 0 || process.stdout.destroyed) return
  await new Promise<void>((resolve) => {
    stdout.once('drain', resolve)
    stdout.once('close', resolve)
    setTimeout(resolve, farewellMs)
  })
}
