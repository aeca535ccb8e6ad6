/** Something that puts a server under load. */
export interface Driver {
  /** Asks for so many milliseconds and says how many calls were answered, all of them rightly. */
  run(milliseconds: number): Promise<number>
  close(): void
}

let lastId = 1_000_000

/** An id that was never used; all have the same width, so that one Content-Length serves a whole run. */
export function nextId(): number {
  lastId += 1
  return lastId
}

/**
 * Has the work done without ever sleeping: waking a sleeper costs whoever writes to it more than an answer does, and a quick server
 * would not pay for it where a slower one does.
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
