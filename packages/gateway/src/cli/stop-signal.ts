import { exitCodes } from './command-error.js'

/** Aborted by the first Ctrl-C, so that what goes on can be given up in good order; the second one ends the process. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController()
  const stop = () => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted)
    controller.abort(new Error('Stopped'))
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  return controller.signal
}
