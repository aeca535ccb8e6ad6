// Trial calls from the console: the caller follows their progress and answers the tool's questions.
import { randomUUID } from 'node:crypto'
import type { Caller, JsonObject } from 'toolwire'
import type { Progress } from 'toolwire/client'
import type { Answering, types } from 'toolwire/relay'
import { compile } from 'toolwire/schema'
import { shownProgress } from '../monitoring/calls/shown-progress.js'

/** An event of a trial, in order; the last one is `result` or `refused`. */
export type TrialEvent = { readonly event: 'began' | 'progress' | 'question' | 'result' | 'refused'; readonly data: JsonObject }

export type TrialAnswer = { readonly action: 'accept' | 'decline' | 'cancel'; readonly content?: JsonObject }

type Question = { readonly schema: JsonObject | undefined; readonly answer: (given: TrialAnswer) => void }

export type ToolTrial = ReturnType<typeof toolTrial>

export function toolTrial({ id: by }: Caller, tell: (event: TrialEvent) => void) {
  const questions = new Map<string, Question>()
  /** The ids of its calls: an answer may continue the call with another request. */
  const calls = new Set<number>()

  function put(shown: JsonObject, signal: AbortSignal, schema?: JsonObject): Promise<types.FormAnswer> {
    const id = randomUUID().slice(0, 8)
    return new Promise((resolve, reject) => {
      const gone = () => {
        questions.delete(id)
        reject(signal.reason)
      }
      signal.addEventListener('abort', gone, { once: true })
      const answer = ({ action, content = {} }: TrialAnswer) => {
        questions.delete(id)
        signal.removeEventListener('abort', gone)
        resolve(action === 'accept' ? { action, content } : { action })
      }
      questions.set(id, { schema, answer })
      tell({ event: 'question', data: { id, ...shown } })
    })
  }

  const answers: Answering = {
    form: ({ message, schema, signal }) => put({ message, schema }, signal, schema),
    page: async ({ message, url, host, warnings, signal }) => {
      const { action } = await put({ message, url, host, warnings: [...warnings] }, signal)
      return { action }
    },
  }
  return {
    by,
    answers,
    calls,
    noteBegun(call: number): void {
      calls.add(call)
      tell({ event: 'began', data: { call } })
    },
    progress: (progress: Progress) => tell({ event: 'progress', data: { ...shownProgress(progress) } }),
    hasQuestion: (question: string) => questions.has(question),
    /** The errors of an answer against the question's schema. */
    issuesOf(question: string, { action, content = {} }: TrialAnswer): { readonly path: string; readonly message: string }[] {
      const schema = action === 'accept' ? questions.get(question)?.schema : undefined
      const issues = schema ? compile(schema).check(content) : []
      return issues.map(({ path, message }) => ({ path, message }))
    },
    /** Returns false if the question is not open. */
    answer(question: string, given: TrialAnswer): boolean {
      const asked = questions.get(question)
      asked?.answer(given)
      return asked !== undefined
    },
  }
}

export function toolTrials() {
  const all = new Set<ToolTrial>()
  return {
    /** Adds a trial, until the returned function is called. */
    add(one: ToolTrial): () => void {
      all.add(one)
      return () => void all.delete(one)
    },
    /** The trial with this call, only for its own caller. */
    find: (call: number, caller: Caller) => [...all].find((one) => one.calls.has(call) && one.by === caller.id),
  }
}
