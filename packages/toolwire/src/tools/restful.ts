const longestWorkMs = 20

/** For long work to call between its steps, so that others get their turn: ten thousand tools take a second. */
export function restful(now: () => number = () => performance.now()): () => Promise<void> | undefined {
  let since = now()
  const rest = async () => {
    await new Promise<void>((resolve) => setTimeout(resolve))
    since = now()
  }
  return () => (now() - since < longestWorkMs ? undefined : rest())
}
