/** Whoever works longer lets others have their turn. */
export const longestWorkMs = 20
const much = 262_144

/** Lets others have their turn. */
export const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

/** Whether so many bytes or characters take so long to go through that others get their turn before the next step. */
export const isMuch = (size: number): boolean => size >= much

/** For long work to call between its steps, so that others get their turn: ten thousand tools take a second. */
export function restful(now: () => number = () => performance.now()): () => Promise<void> | undefined {
  let since = now()
  const rest = async () => {
    await turn()
    since = now()
  }
  return () => (now() - since < longestWorkMs ? undefined : rest())
}
