/** Ten times a second is as much as anybody can follow. */
const restMs = 100
/** A page that nobody sees has no frames. */
const patienceMs = 250

/** Calls back with the next frame, once however often it is asked; after a rest where it was asked just before. */
export function oncePerFrame(then: () => void): () => void {
  let fallback: ReturnType<typeof setTimeout> | undefined
  let last = 0
  function now(): void {
    if (fallback === undefined) return
    clearTimeout(fallback)
    fallback = undefined
    last = performance.now()
    then()
  }
  return () => {
    if (fallback !== undefined) return
    const rest = Math.max(0, last + restMs - performance.now())
    setTimeout(() => requestAnimationFrame(now), rest)
    fallback = setTimeout(now, rest + patienceMs)
  }
}
