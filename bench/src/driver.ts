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
