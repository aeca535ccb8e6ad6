// Rate limits on questions hold for each person, and pages are tracked until they are completed.
import { expect, it } from 'vitest'
import type { PageAnswer, PageAsked } from '../../src/client/client.js'
import { ElicitationHandler } from '../../src/client/questions/elicitation-handler.js'
import { PendingPages } from '../../src/client/questions/pending-pages.js'
import { v20251125 } from '../../src/revisions/2025-11-25.js'

const about = () => ({ revision: v20251125, signal: new AbortController().signal })
const question = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } }

const pageQuestion = (elicitationId: string) => ({ mode: 'url', message: 'Pay', url: 'https://shop.example/pay', elicitationId })

function handler(questionsPerMinute: number, pages = new PendingPages()) {
  const warnings: string[] = []
  const warn = (text: string) => void warnings.push(text)
  const made = new ElicitationHandler({ answers: {}, server: 'asker', questionsPerMinute, warn, pages })
  return { made, warnings }
}

const ada = {}
const parties = [
  ['a name', 'ada', 'grace'],
  ['an object', ada, {}],
] as const

it.each(
  parties,
)('questions on behalf of one person, by %s, share a limit that does not affect other people', async (_, one, other) => {
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

it('requests for roots have a limit for each person, too', async () => {
  const { made } = handler(2)
  const ask = () => made.with({ roots: [] }, ada).answer('roots/list', {}, about())
  // Twice the limit of a minute, because the limit refills while the requests run.
  const settled = await Promise.allSettled(Array.from({ length: 1_200 }, ask))
  expect(settled[0]).toEqual({ status: 'fulfilled', value: { roots: [] } })
  expect(settled.at(-1)).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('Too many questions') } })
  expect(await made.with({ roots: [] }, {}).answer('roots/list', {}, about())).toEqual({ roots: [] })
})

const cannotShow = new Error('no browser')
const endings = [
  ['that the person accepted', { action: 'accept' }, true],
  ['that the person declined', { action: 'decline' }, false],
  ['that the person cancelled', { action: 'cancel' }, false],
  ['that could not be shown', cannotShow, false],
] as const

it.each(endings)('a page %s is tracked only if it is open', async (_, ending, isFollowed) => {
  const pages = new PendingPages()
  let isDone = false
  const page = async ({ completed }: PageAsked): Promise<PageAnswer> => {
    void completed?.then(() => {
      isDone = true
    })
    if (ending instanceof Error) throw ending
    return ending
  }
  const { made } = handler(10, pages)
  const asked = made.with({ page }, ada).answer('elicitation/create', pageQuestion('e-1'), about())
  if (ending instanceof Error) await expect(asked).rejects.toBe(ending)
  else expect(await asked).toEqual(ending)
  pages.end('e-1')
  await new Promise((resolve) => void setImmediate(resolve))
  expect(isDone).toBe(isFollowed)
})

it('a page with a long id is shown, and the id is not stored', async () => {
  const followed: boolean[] = []
  const page = ({ completed }: PageAsked): PageAnswer => {
    followed.push(completed !== undefined)
    return { action: 'accept' }
  }
  const { made } = handler(10)
  for (const length of [256, 257, 4_000_000])
    await made.with({ page }, ada).answer('elicitation/create', pageQuestion('x'.repeat(length)), about())
  expect(followed).toEqual([true, false, false])
})
