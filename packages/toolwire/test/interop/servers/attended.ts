import { type Client, memoryRevisions } from 'toolwire/client'
import type { types } from 'toolwire/relay'
import { afterAll, beforeAll } from 'vitest'
import type { FormAnswer } from '../../../src/client/client.js'
import type { Leg } from './ways.js'

/** The client of a leg, with its received questions and notifications. */
export type Attended = {
  readonly leg: Leg
  client: Client
  readonly asked: string[]
  answer: FormAnswer
  readonly changes: types.Change[]
  readonly warnings: string[]
}

/** Connects before the surrounding tests, and closes after them. */
export function attended(leg: Leg): Attended {
  const answer: FormAnswer = { action: 'accept', content: { name: 'Ada' } }
  const at: Omit<Attended, 'client'> & { client?: Client } = { leg, answer, asked: [], changes: [], warnings: [] }
  const form = ({ message }: { message: string }) => {
    at.asked.push(message)
    return at.answer
  }
  beforeAll(async () => {
    const onWarning = (text: string) => at.warnings.push(text)
    at.client = await leg.connect({ verdicts: memoryRevisions(), answers: { form }, onWarning })
    at.client.onChange((change) => at.changes.push(change))
  })
  afterAll(() => at.client?.close())
  return at as Attended // no test runs before the client is connected
}
