// The client yields by real immediates, so on a busy machine its next timer may not be set when a test advances a fake clock by much.
import { vi } from 'vitest'

/** Advances a fake clock in steps until that holds, and gives the milliseconds that have passed on it. */
export async function passUntil(holds: () => boolean, stepMs = 50): Promise<number> {
  let passedMs = 0
  for (; !holds(); passedMs += stepMs) await vi.advanceTimersByTimeAsync(stepMs)
  return passedMs
}
