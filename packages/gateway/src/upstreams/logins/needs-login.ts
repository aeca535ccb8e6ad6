/** Thrown when an upstream requires a login that does not exist. The message names the command that logs in. */
export class NeedsLogin extends Error {
  override name = 'NeedsLogin'
}

const deepest = 8

/** Finds a NeedsLogin among the causes of an error. */
export function needsLoginIn(thrown: unknown): NeedsLogin | undefined {
  let cause = thrown
  for (let depth = 0; depth < deepest && cause instanceof Error; depth++) {
    if (cause instanceof NeedsLogin) return cause
    cause = cause.cause
  }
  return undefined
}
