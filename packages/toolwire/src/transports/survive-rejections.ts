// A handler that drops a promise which then rejects would end the process, and with it every other call in flight.

import { errorText } from '../text/error-text.js'

let holders = 0

/** Reports unhandled rejections until the returned function is called, unless the program listens for them itself. */
export function surviveRejections(): () => void {
  if (holders++ === 0 && process.listenerCount('unhandledRejection') === 0) process.on('unhandledRejection', reportRejection)
  let held = true
  return () => {
    if (held && --holders === 0) process.off('unhandledRejection', reportRejection)
    held = false
  }
}

function reportRejection(reason: unknown): void {
  // A program that has begun to listen handles rejections in its own way.
  if (process.listenerCount('unhandledRejection') > 1) return
  console.error(`toolwire: unhandled promise rejection: ${errorText(reason)}`)
}
