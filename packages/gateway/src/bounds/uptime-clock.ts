import { uptime } from 'node:os'

/** The time of the machine costs a system call, so it is not read each time. A smaller difference may be inexact. */
const checkEveryMs = 1_000

/** Some sandboxes hide the time since the machine booted. Sleep cannot be told there. */
function machineUptime(): number {
  try {
    return uptime() * 1_000
  } catch {
    return performance.now()
  }
}

/**
 * Creates a clock that never goes back and also counts the time in which the machine sleeps, while the monotonic clock of Node stands still.
 * Setting the wall clock does not change it.
 */
export function uptimeClock(awake = () => performance.now(), sinceBoot = machineUptime): () => number {
  const awakeAtBoot = sinceBoot() - awake()
  let sleptMs = 0
  let checkAt = awake() + checkEveryMs
  return () => {
    const now = awake()
    if (now >= checkAt) {
      checkAt = now + checkEveryMs
      const slept = sinceBoot() - now - awakeAtBoot
      if (slept - sleptMs > checkEveryMs) sleptMs = slept
    }
    return now + sleptMs
  }
}

export const uptimeNow = uptimeClock()
