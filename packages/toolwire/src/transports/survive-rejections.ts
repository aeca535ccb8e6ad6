// A handler that drops a promise which then fails would end the process, and with it every other call in flight.

import { errorText } from '../text/error-text.js'

let holders = 0

/** Reports rejections that nobody handles, for as long as it is held and unless the program listens for them itself. */
export function surviveRejections(): () => void {
  if (holders++ === 0 && process.listenerCount('unhandledRejection') === 0) process.on('unhandledRejection', reportRejection)
  let held = true
  return () => {
    if (held && --holders === 0) process.off('unhandledRejection', reportRejection)
    held = false
  }
}

function reportRejection(reason: unknown): void {
  // A program that has begun to listen has its own way of dealing with them.
  if (process.listenerCount('unhandledRejection') > 1) return
  console.error(`toolwire: a promise was rejected and nobody handled it: ${errorText(reason)}`)
}
