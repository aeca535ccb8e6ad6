// Rate limits on questions hold for the connection, whoever answers.
import { expect, it } from 'vitest'
import { ElicitationHandler } from '../../src/client/questions/elicitation-handler.js'
import { PendingPages } from '../../src/client/questions/pending-pages.js'
import { v20251125 } from '../../src/revisions/2025-11-25.js'

const about = () => ({ revision: v20251125, signal: new AbortController().signal })
const form = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } }

function handler(questionsPerMinute: number) {
  const warnings: string[] = []
  const warn = (text: string) => void warnings.push(text)
  const made = new ElicitationHandler({ answers: {}, server: 'asker', questionsPerMinute, warn, pages: new PendingPages() })
  return { made, warnings }
}

it('questions of requests with answers of their own count towards one limit', async () => {
  const { made, warnings } = handler(2)
  const shown: number[] = []
  const ask = (number: number) => {
    const person = made.with({
      form: () => {
        shown.push(number)
        return { action: 'accept', content: {} }
      },
    })
    return person.answer('elicitation/create', form, about())
  }
  const actions = []
  for (const number of [1, 2, 3, 4]) actions.push((await ask(number)).action)
  expect(actions).toEqual(['accept', 'accept', 'cancel', 'cancel'])
  expect(shown).toEqual([1, 2])
  expect(warnings).toHaveLength(2)
})

it('so do their requests for roots', async () => {
  const { made } = handler(2)
  const ask = () => made.with({ roots: [] }).answer('roots/list', {}, about())
  // Twice as many as a minute allows, because the limit fills up again while they run.
  const settled = await Promise.allSettled(Array.from({ length: 1_200 }, ask))
  expect(settled[0]).toEqual({ status: 'fulfilled', value: { roots: [] } })
  expect(settled.at(-1)).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('Too many questions') } })
})
