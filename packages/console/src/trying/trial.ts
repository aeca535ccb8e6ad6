// The state of one trial of a tool.
import { isObject, type Json, type JsonObject, textIn, textsIn } from '../schemas/json.js'

/** A question of the tool to the user. */
export type Question = {
  readonly id: string
  readonly message: string
  /** The schema of the answer; without one the question is a page to visit. */
  readonly schema?: JsonObject
  readonly address?: string
  /** Warnings about the page. */
  readonly warnings: readonly string[]
  readonly answer?: 'accept' | 'decline' | 'cancel'
}

export type Trial = {
  readonly state: 'idle' | 'running' | 'done' | 'refused' | 'lost'
  readonly call?: number
  readonly startedAt: number
  readonly endedAt?: number
  readonly progress?: { readonly done: number; readonly total?: number }
  /** Messages during the call, latest last. */
  readonly said: readonly string[]
  readonly questions: readonly Question[]
  /** Id of the approval that the call waits for. */
  readonly waiting?: string
  readonly result?: JsonObject
  readonly why?: string
}

export const newTrial: Trial = { state: 'idle', startedAt: 0, said: [], questions: [] }
export const begunTrial = (now: number): Trial => ({ ...newTrial, state: 'running', startedAt: now })

const maxMessages = 50

/** The trial after another event of its stream. */
export function trialAfter(trial: Trial, { kind, data }: { readonly kind: string; readonly data: Json }, now: number): Trial {
  if (trial.state !== 'running' || !isObject(data)) return trial
  if (kind === 'began') return typeof data.call === 'number' ? { ...trial, call: data.call } : trial
  if (kind === 'progress') return withProgress(trial, data)
  if (kind === 'question') return withQuestion(trial, data)
  const ended = { ...waitingFor(trial, undefined), endedAt: now }
  if (kind === 'result') return { ...ended, state: 'done', result: data }
  return kind === 'refused' ? { ...ended, state: 'refused', why: textIn(data.message) || 'No reason was given.' } : trial
}

/** The trial after the end of its stream; lost if no outcome has arrived. */
export const endedTrial = (trial: Trial, why: string, now: number): Trial =>
  trial.state === 'running' ? { ...waitingFor(trial, undefined), state: 'lost', why, endedAt: now } : trial

/** Sets or clears the approval that the call waits for. */
export function waitingFor(trial: Trial, approval: string | undefined): Trial {
  const { waiting: _before, ...rest } = trial
  return approval === undefined ? rest : { ...rest, waiting: approval }
}

export const answeredTrial = (trial: Trial, id: string, answer: NonNullable<Question['answer']>): Trial => ({
  ...trial,
  questions: trial.questions.map((question) => (question.id === id ? { ...question, answer } : question)),
})

function withProgress(trial: Trial, { progress, total, message }: JsonObject): Trial {
  if (typeof progress !== 'number') return trial
  const words = textIn(message)
  const isNews = words !== '' && words !== trial.said.at(-1)
  return {
    ...trial,
    progress: { done: progress, ...(typeof total === 'number' && total > 0 && { total }) },
    said: isNews ? [...trial.said, words].slice(-maxMessages) : trial.said,
  }
}

function withQuestion(trial: Trial, { id, message, schema, url, warnings }: JsonObject): Trial {
  if ((typeof id !== 'string' && typeof id !== 'number') || trial.questions.some((question) => question.id === String(id)))
    return trial
  const question = {
    id: String(id),
    message: textIn(message),
    warnings: textsIn(warnings),
    ...(isObject(schema) && { schema }),
    ...(typeof url === 'string' && { address: url }),
  }
  return { ...trial, questions: [...trial.questions, question] }
}
