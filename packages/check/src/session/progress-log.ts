// The progress that a server reported, in its order, without the messages around it.
import type { Json, JsonObject } from 'toolwire'
import { isObject, jsonOf } from '../json.js'
import { excerptOf } from './transcript.js'

export const progressMethod = 'notifications/progress'

export type ProgressReport = {
  /** The token as JSON, shortened. */
  readonly token: string
  readonly progress: number | undefined
  /** It came after the response to the request with this token. */
  readonly isLate: boolean
}

const maxReports = 10_000

export class ProgressLog {
  readonly reports: ProgressReport[] = []
  readonly #tokens = new Map<Json, string>()
  readonly #ended = new Set<string>()

  /** Expects progress with this token until the request with this id is answered. */
  expect(id: number, token: string): void {
    this.#tokens.set(id, tokenText(token))
  }

  note({ id, method, params }: JsonObject): void {
    const ended = method === undefined && id !== undefined ? this.#tokens.get(id) : undefined
    if (ended !== undefined) this.#ended.add(ended)
    if (method !== progressMethod || !isObject(params) || this.reports.length === maxReports) return
    const token = tokenText(params.progressToken)
    const progress = typeof params.progress === 'number' ? params.progress : undefined
    this.reports.push({ token, progress, isLate: this.#ended.has(token) })
  }
}

export const tokenText = (token: Json | undefined): string => excerptOf(jsonOf(token))
