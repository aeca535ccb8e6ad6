export type Stopwatch = ReturnType<typeof stopwatch>

/** Measures the time during which at least one of several pieces of work is pending. */
export function stopwatch() {
  let pastMs = 0
  let pending = 0
  let since = 0
  return {
    async during<T>(work: Promise<T>): Promise<T> {
      if (pending++ === 0) since = performance.now()
      try {
        return await work
      } finally {
        if (--pending === 0) pastMs += performance.now() - since
      }
    },
    get ms(): number {
      return pastMs + (pending > 0 ? performance.now() - since : 0)
    },
  }
}
