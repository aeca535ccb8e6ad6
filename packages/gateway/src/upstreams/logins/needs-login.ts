/** The upstream wants to know who is calling, and nobody has logged in who could say. The message names the command that does it. */
export class NeedsLogin extends Error {
  override name = 'NeedsLogin'
}

const deepest = 8

/** Whether a request came to nothing for want of a login. */
export function needsLoginIn(thrown: unknown): NeedsLogin | undefined {
  let cause = thrown
  for (let depth = 0; depth < deepest && cause instanceof Error; depth++) {
    if (cause instanceof NeedsLogin) return cause
    cause = cause.cause
  }
  return undefined
}
