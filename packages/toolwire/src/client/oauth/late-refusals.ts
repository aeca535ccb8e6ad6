/** Longest time after a renewal that a refusal may still be about the tokens before it. */
const graceMs = 5_000

/**
 * Counts requests that were underway when tokens were replaced: when they are refused, another renewal would be one too many.
 * They are counted and not named, because a refusal does not say which token it is about.
 */
export function lateRefusals(now: () => number = () => performance.now()) {
  let underway = 0
  let late = 0
  let until = 0
  return {
    sent(): void {
      underway += 1
    },
    answered(): void {
      underway = Math.max(0, underway - 1)
    },
    renewed(): void {
      late = underway
      underway = 0
      until = now() + graceMs
    },
    /** Whether a refusal that comes now is one of theirs. */
    take(): boolean {
      if (late === 0 || now() > until) return false
      late -= 1
      return true
    },
  }
}
