// The client yields by real immediates. On a busy machine its next timer may not exist yet when a test advances a fake clock far.
import { vi } from 'vitest'

/** Advances a fake clock in steps until the condition holds, and returns the milliseconds that passed on it. */
export async function passUntil(holds: () => boolean, stepMs = 50): Promise<number> {
  let passedMs = 0
  for (; !holds(); passedMs += stepMs) await vi.advanceTimersByTimeAsync(stepMs)
  return passedMs
}
