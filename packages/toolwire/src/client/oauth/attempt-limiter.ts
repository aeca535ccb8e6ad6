const mostKept = 1_000

/** Takes note of an attempt, unless there have been enough of them lately. */
export type AttemptLimiter = (key: string, most: number) => boolean

/** Counts attempts within a time: a server that is never content must not keep us, or a person, busy. */
export function attemptLimiter(withinMs: number, now: () => number = () => performance.now()): AttemptLimiter {
  const moments = new Map<string, number[]>()
  return (key, most) => {
    const recent = (moments.get(key) ?? []).filter((moment) => moment > now() - withinMs)
    if (recent.length >= most) return false
    moments.delete(key)
    moments.set(key, [...recent, now()])
    if (moments.size > mostKept) moments.delete(moments.keys().next().value!)
    return true
  }
}
