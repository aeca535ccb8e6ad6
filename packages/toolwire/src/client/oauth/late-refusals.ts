/** Longest time after a renewal in which a refusal may still be about the old tokens. */
const graceMs = 5_000

/** Counts requests that were pending when tokens were replaced, because their refusals need no further renewal. */
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
    /** Returns true if a refusal that comes now counts as one of the old tokens. */
    take(): boolean {
      if (late === 0 || now() > until) return false
      late -= 1
      return true
    },
  }
}
