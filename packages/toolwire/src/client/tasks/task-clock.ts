/** How long a task has been waited for. It stands still while a person is asked. */
export class TaskClock {
  readonly #totalMs: number
  #since = performance.now()
  #before = 0

  constructor(totalMs: number) {
    this.#totalMs = totalMs
  }

  get leftMs(): number {
    return Math.max(0, this.#totalMs - this.#before - (performance.now() - this.#since))
  }

  get isOver(): boolean {
    return this.leftMs === 0
  }

  async paused<T>(work: () => Promise<T>): Promise<T> {
    this.#before += performance.now() - this.#since
    this.#since = Number.POSITIVE_INFINITY
    try {
      return await work()
    } finally {
      this.#since = performance.now()
    }
  }
}
