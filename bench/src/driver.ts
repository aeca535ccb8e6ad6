export interface Driver {
  /** Calls for some milliseconds and returns the number of answers, all of which were right. */
  run(milliseconds: number): Promise<number>
  close(): void
}

let lastId = 1_000_000

/** A new id. All ids have the same width, so that one Content-Length fits a whole run. */
export function nextId(): number {
  lastId += 1
  return lastId
}

/**
 * Does the work without letting the process sleep. Waking it would cost its peer more than an answer does, and only fast servers would pay
 * for that.
 */
export async function wideAwake<T>(work: () => Promise<T>): Promise<T> {
  let isWorking = true
  const turn = () => {
    if (isWorking) setImmediate(turn)
  }
  turn()
  try {
    return await work()
  } finally {
    isWorking = false
  }
}
