// A test waits until something is so, for as long as a busy machine may take, and not for a fixed time.

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Waits until there is something, and returns it. */
export async function until<T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
  ms = 60_000,
  everyMs = 10,
): Promise<T> {
  for (const end = performance.now() + ms; ; await pause(everyMs)) {
    const seen = await look()
    if (seen) return seen
    if (performance.now() > end) throw new Error(`It did not come within ${ms} ms: ${look}`)
  }
}
