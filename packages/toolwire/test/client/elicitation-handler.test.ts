// Rate limits on questions hold for each person.
import { expect, it } from 'vitest'
import { ElicitationHandler } from '../../src/client/questions/elicitation-handler.js'
import { PendingPages } from '../../src/client/questions/pending-pages.js'
import { v20251125 } from '../../src/revisions/2025-11-25.js'

const about = () => ({ revision: v20251125, signal: new AbortController().signal })
const question = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } }

function handler(questionsPerMinute: number) {
  const warnings: string[] = []
  const warn = (text: string) => void warnings.push(text)
  const made = new ElicitationHandler({ answers: {}, server: 'asker', questionsPerMinute, warn, pages: new PendingPages() })
  return { made, warnings }
}

const ada = {}
const parties = [
  ['a name', 'ada', 'grace'],
  ['an object', ada, {}],
] as const

it.each(
  parties,
)('questions of requests on behalf of one person, by %s, share a limit, and take nothing from others', async (_, one, other) => {
  const { made, warnings } = handler(2)
  const shown: number[] = []
  const ask = async (party: unknown, number: number) => {
    const form = () => {
      shown.push(number)
      return { action: 'accept', content: {} } as const
    }
    return (await made.with({ form }, party).answer('elicitation/create', question, about())).action
  }
  const actions = []
  for (const number of [1, 2, 3, 4]) actions.push(await ask(one, number))
  expect(actions).toEqual(['accept', 'accept', 'cancel', 'cancel'])
  expect(await ask(other, 5)).toBe('accept')
  expect(shown).toEqual([1, 2, 5])
  expect(warnings).toHaveLength(2)
})

it('so do their requests for roots', async () => {
  const { made } = handler(2)
  const ask = () => made.with({ roots: [] }, ada).answer('roots/list', {}, about())
  // Twice as many as a minute allows, because the limit fills up again while they run.
  const settled = await Promise.allSettled(Array.from({ length: 1_200 }, ask))
  expect(settled[0]).toEqual({ status: 'fulfilled', value: { roots: [] } })
  expect(settled.at(-1)).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('Too many questions') } })
  expect(await made.with({ roots: [] }, {}).answer('roots/list', {}, about())).toEqual({ roots: [] })
})
