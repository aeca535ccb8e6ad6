import type { Json } from '../../json.js'
import { definitionError } from '../../tools/checks/definition-error.js'

/** Results of side effects. An empty list stands for undefined, which JSON lacks. */
export type RecordedEffects = { readonly [key: string]: readonly Json[] }

/** Side effects that run once even if the handler runs again; their results travel with the state. */
export class Effects {
  readonly #done: Map<string, Promise<Json | undefined>>

  constructor(recorded: RecordedEffects = {}) {
    this.#done = new Map(Object.entries(recorded).map(([key, [value]]) => [key, Promise.resolve(value)]))
  }

  once<T>(key: string, effect: () => T | Promise<T>): Promise<T> {
    const done = this.#done.get(key) as Promise<T> | undefined // under one key there is one effect, with one type
    if (done) return done
    const running = (async () => effect())()
    this.#done.set(key, running as Promise<Json | undefined>) // checked to be JSON when it is recorded
    return running
  }

  /** The results so far, for the next run. Failed effects are left out, so they run again. */
  async record(): Promise<RecordedEffects> {
    const settled = await Promise.all(
      [...this.#done].map(async ([key, running]) =>
        running.then(
          (value) => [[key, value === undefined ? [] : [checkJson(key, value)]]] as const,
          () => [],
        ),
      ),
    )
    return Object.fromEntries(settled.flat())
  }
}

function checkJson(key: string, value: Json): Json {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch (cause) {
    const why = 'returned a value that is not JSON, so it cannot be kept until the question is answered'
    throw definitionError(`ctx.once("${key}") ${why}`, cause)
  }
}
