// Calls that somebody makes to see what a tool does: they follow them as they go on, and answer what the tool asks.
import { randomUUID } from 'node:crypto'
import type { Caller, JsonObject } from 'toolwire'
import type { Progress } from 'toolwire/client'
import type { Answering, types } from 'toolwire/relay'
import { compile } from 'toolwire/schema'

/** What happens in the course of it, in order; the last one is `result` or `refused`. */
export type TrialEvent = { readonly event: 'began' | 'progress' | 'question' | 'result' | 'refused'; readonly data: JsonObject }

/** What somebody says to a question. */
export type TrialAnswer = { readonly action: 'accept' | 'decline' | 'cancel'; readonly content?: JsonObject }

type Question = { readonly schema: JsonObject | undefined; readonly answer: (given: TrialAnswer) => void }

/** One of them, while it is under way. */
export class ToolTrial {
  readonly by: string
  readonly answers: Answering
  /** Ids of its calls: where a question is answered with another request there are several, one after the other. */
  readonly calls = new Set<number>()
  readonly #tell: (event: TrialEvent) => void
  readonly #questions = new Map<string, Question>()

  constructor({ id }: Caller, tell: (event: TrialEvent) => void) {
    this.by = id
    this.#tell = tell
    this.answers = {
      form: ({ message, schema, signal }) => this.#put({ message, schema }, signal, schema),
      page: async ({ message, url, host, warnings, signal }) => {
        const { action } = await this.#put({ message, url, host, warnings: [...warnings] }, signal)
        return { action }
      },
    }
  }

  noteBegun(call: number): void {
    this.calls.add(call)
    this.#tell({ event: 'began', data: { call } })
  }

  progress(progress: Progress): void {
    this.#tell({ event: 'progress', data: { ...progress } })
  }

  hasQuestion(question: string): boolean {
    return this.#questions.has(question)
  }

  /** What of the answer does not fit the question. */
  issuesOf(question: string, { action, content = {} }: TrialAnswer): { readonly path: string; readonly message: string }[] {
    const schema = action === 'accept' ? this.#questions.get(question)?.schema : undefined
    const issues = schema ? compile(schema).check(content) : []
    return issues.map(({ path, message }) => ({ path, message }))
  }

  answer(question: string, given: TrialAnswer): void {
    this.#questions.get(question)?.answer(given)
  }

  #put(shown: JsonObject, signal: AbortSignal, schema?: JsonObject): Promise<types.FormAnswer> {
    const id = randomUUID().slice(0, 8)
    return new Promise((resolve, reject) => {
      const gone = () => {
        this.#questions.delete(id)
        reject(signal.reason)
      }
      signal.addEventListener('abort', gone, { once: true })
      const answer = ({ action, content = {} }: TrialAnswer) => {
        this.#questions.delete(id)
        signal.removeEventListener('abort', gone)
        resolve(action === 'accept' ? { action, content } : { action })
      }
      this.#questions.set(id, { schema, answer })
      this.#tell({ event: 'question', data: { id, ...shown } })
    })
  }
}

/** All that are under way. */
export class ToolTrials {
  readonly #all = new Set<ToolTrial>()

  /** Keeps it until the returned function is called. */
  add(one: ToolTrial): () => void {
    this.#all.add(one)
    return () => void this.#all.delete(one)
  }

  /** Nobody answers what another has been asked. */
  find(call: number, caller: Caller): ToolTrial | undefined {
    for (const one of this.#all) if (one.calls.has(call) && one.by === caller.id) return one
    return undefined
  }
}
