// Calls with long arguments wait for approval only while there is memory for them.
import { jsonSchema, server, tool } from 'toolwire'
import { approve } from 'toolwire/guard'
import { harness } from 'toolwire/testing'
import { expect, it } from 'vitest'
import { approverFor } from '../../src/guard/approver.js'
import { waitingRoom } from '../../src/guard/waiting-room.js'
import { newStore } from '../support/stores.js'

const send = tool({
  description: 'Sends.',
  input: jsonSchema<{ text: string }>({ type: 'object' }),
  run: ({ text }) => text.slice(0, 1),
})

it('a call without room ends at once with instructions, is made after approval, and short calls always wait', async () => {
  const { approvals } = await newStore()
  const ask = approverFor(approvals, {
    ask: 'console',
    mostPending: 100,
    patienceMs: 600_000,
    holdMs: 600_000,
    howTo: (id) => `Approve ${id}`,
    onWait: () => undefined,
    onAnswer: async () => undefined,
    usedBy: () => approvals,
    takeRoom: waitingRoom(40_000),
  })
  const t = await harness(server({ name: 'mail', version: '1.0.0', tools: { send }, policies: [approve({ ask })] }))
  const call = async (letter: string, length: number) => JSON.stringify(await t.call('send', { text: letter.repeat(length) }))
  const idOf = async (letter: string) =>
    (await approvals.pending()).find(({ arguments: { text } }) => String(text).startsWith(letter))?.id ?? ''

  const first = call('a', 30_000)
  await expect.poll(() => approvals.countPending()).toBe(1)
  expect(await call('b', 30_000)).toContain(`Approve ${await idOf('b')}`)
  const short = call('c', 10)
  await expect.poll(() => approvals.countPending()).toBe(3)
  for (const letter of ['a', 'b', 'c']) await approvals.decide(await idOf(letter), 'allow')
  expect(await first).toContain('"a"')
  expect(await short).toContain('"c"')
  expect(await call('b', 30_000)).toContain('"b"')

  const next = call('d', 30_000)
  await expect.poll(() => approvals.countPending()).toBe(1)
  await approvals.decide(await idOf('d'), 'allow')
  expect(await next).toContain('"d"')
})

it('room is freed once, and a single call always has room', () => {
  const take = waitingRoom(20_000)
  const free = take('ada', 1_000_000)
  expect(free).toBeTypeOf('function')
  expect(take('bob', 17_000)).toBeUndefined()
  expect(take('bob', 10)).toBeTypeOf('function')
  free?.()
  expect(take('bob', 17_000)).toBeTypeOf('function')
})

it('one caller leaves half of the room to others', () => {
  const take = waitingRoom(80_000)
  for (let n = 0; n < 2; n++) expect(take('eve', 20_000)).toBeTypeOf('function')
  expect(take('eve', 20_000)).toBeUndefined()
  expect(take('ada', 20_000)).toBeTypeOf('function')
})
