import fc from 'fast-check'
import { expect, it } from 'vitest'
import { IncomingQuestions } from '../../src/client/questions/incoming-questions.js'

type Party = 'ada' | 'bob' | 'eve'
type Open = { readonly party: Party; readonly size: number; readonly end: () => void }

const longest = 4 * 1024 * 1024
const size = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: longest / 8 }), fc.integer({ min: 1, max: longest }))
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ party: fc.constantFrom<Party[]>('ada', 'ada', 'ada', 'bob', 'eve'), size }) },
  { weight: 1, arbitrary: fc.record({ end: fc.nat() }) },
)

it('no party has more than half of the open questions and of their text, and all together no more than there may be', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 60, maxLength: 160 }), async (steps) => {
      const open: Open[] = []
      let taken: { readonly party: Party; readonly size: number } = { party: 'ada', size: 0 }
      const incoming = new IncomingQuestions({
        asked: () => new Promise((resolve) => void open.push({ ...taken, end: () => resolve({}) })),
        respond: () => undefined,
        partyOf: () => taken.party,
        clocks: () => [],
      })
      const sums = (party?: Party) => {
        const some = open.filter((one) => party === undefined || one.party === party)
        return { count: some.length, characters: some.reduce((sum, one) => sum + one.size, 0) }
      }
      const hasRoom = ({ count, characters }: ReturnType<typeof sums>, by: number, share: number) =>
        count + 1 <= 64 * share && (characters === 0 || characters + by <= longest * share)
      for (const [id, one] of steps.entries()) {
        if ('end' in one) {
          open.splice(one.end % Math.max(1, open.length), 1)[0]?.end()
          await new Promise((resolve) => setImmediate(resolve))
          continue
        }
        taken = one
        const before = open.length
        const fits = hasRoom(sums(), one.size, 1) && hasRoom(sums(one.party), one.size, 1 / 2)
        incoming.take({ jsonrpc: '2.0', id, method: 'elicitation/create' }, { size: one.size })
        expect(open.length - before).toBe(fits ? 1 : 0)
      }
    }),
    { numRuns: 50 },
  )
})
