import { jsonSchema, RpcError, reply, server, tool } from 'toolwire'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { every, since } from '../../revisions.js'
import '../../reported-faults.js'
import { judged } from '../../official-schemas.js'
import { eachNth, howMany } from '../../soak.js'

/** Deeper than any stack. */
const depth = howMany(100_000, 1_000_000)

function deep(levels: number): object {
  let value: object = {}
  for (let level = 0; level < levels; level++) value = { value }
  return value
}

function cycle(): object {
  const value: Record<string, unknown> = {}
  value.self = value
  return value
}

const thrown = (value: unknown) => () => {
  throw value
}

/** Mistakes of careless handlers; `run` violates its type. */
const faulty: Record<string, () => unknown> = {
  'throws null': thrown(null),
  'throws undefined': thrown(undefined),
  'throws a symbol': thrown(Symbol('no')),
  'throws a frozen object': thrown(Object.freeze({ message: 1 })),
  'throws something whose message throws': thrown({
    get message() {
      throw new Error('again')
    },
  }),
  'throws an error with a cycle in it': () => thrown(new RpcError(7, 'Round', { data: cycle() }))(),
  'throws an error far too deep': () => thrown(new RpcError(7, 'Deep', { data: deep(depth) }))(),
  'rejects with null': () => Promise.reject(null),
  'overflows the stack': function again(): unknown {
    return [again()]
  },
  'returns a BigInt': () => 10n,
  'returns null': () => null,
  'returns a number': () => 5,
  'returns a function': () => () => 1,
  'returns a symbol': () => Symbol('no'),
  'returns a cycle': cycle,
  'returns a value far too deep': () => deep(depth),
  'returns a block without text': () => ({ type: 'text' }),
  'returns a block of no known type': () => ({ type: 'constructor' }),
  'returns a value that refuses to be JSON': () => reply.structured({ toJSON: thrown(new Error('no')) }),
  'structures a BigInt': () => reply.structured(10n),
  'structures a cycle': () => reply.structured(cycle()),
  'structures a value far too deep': () => reply.structured(deep(depth)),
}

/** Invalid values in the `_meta` of a block, which older revisions do not send. */
const faultyBlocks: typeof faulty = {
  'returns a block with a BigInt in it': () => ({ type: 'text', text: 'hi', _meta: { 'com.example/n': 1n } }),
  'returns a block with a cycle in it': () => ({ type: 'text', text: 'hi', _meta: cycle() }),
  'returns a block far too deep': () => ({ type: 'text', text: 'hi', _meta: deep(depth) }),
}

async function affectsNoOtherCall(revision: string, run: () => unknown): Promise<void> {
  const bad = tool({ run: run as () => string })
  const good = tool({ input: z.object({ n: z.number() }), run: async ({ n }) => String(n) })
  const t = await judged(server({ name: 'shop', version: '1', tools: { bad, good } }), { revision })
  const others = Array.from({ length: 20 }, (_, n) => t.call('good', { n }))
  const outcome = await t.call('bad').catch((error) => error)
  expect(outcome).toSatisfy(({ code, isError }) => code === -32603 || isError === true)
  const texts = (await Promise.all(others)).map(({ content: [block] }) => block)
  expect(texts).toEqual(Array.from({ length: 20 }, (_, n) => ({ type: 'text', text: String(n) })))
  expect((await t.call('good', { n: 1 })).isError).toBe(false)
}

it.each(
  since('2025-06-18').flatMap((revision) => Object.entries(faultyBlocks).map(([name, run]) => ({ revision, name, run }))),
)('CALL-010 a handler at $revision that $name affects no other call', ({ revision, run }) => affectsNoOtherCall(revision, run))

// The behaviour of a handler is independent of the revision, but the report of its result depends on the style.
describe.each(eachNth(every, 4))('a handler at %s that', (revision) => {
  it.each(Object.entries(faulty))('CALL-010 %s affects no other call', (_, run) => affectsNoOtherCall(revision, run))
})

describe.each(every)('a handler at %s that', (revision) => {
  it('CALL-010 returns nothing succeeds', async () => {
    const quiet = tool({ run: (() => undefined) as never })
    const t = await judged(server({ name: 'shop', version: '1', tools: { quiet } }), { revision })
    expect(await t.call('quiet')).toMatchObject({ isError: false, content: [{ type: 'text', text: '' }] })
  })

  it('CALL-010 declares an output and returns a value that is too deep affects only its own call', async () => {
    const bad = tool({ output: jsonSchema<object>({ type: 'object' }), run: () => deep(depth) })
    const t = await judged(server({ name: 'shop', version: '1', tools: { bad } }), { revision })
    expect(await t.call('bad')).toMatchObject({ isError: true })
  })

  it('CALL-010 never settles is ended by the timeout, and blocks no other call', async () => {
    const stuck = tool({ timeout: 20, run: () => new Promise<string>(() => undefined) })
    const good = tool({ run: () => 'fine' })
    const t = await judged(server({ name: 'shop', version: '1', tools: { stuck, good } }), { revision })
    const waiting = t.call('stuck')
    expect((await t.call('good')).isError).toBe(false)
    expect(await waiting).toMatchObject({ isError: true })
  })
})

describe('a promise that a handler abandons', () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  const others = process.listeners('unhandledRejection')
  beforeEach(() => {
    unhandled.splice(0)
    process.removeAllListeners('unhandledRejection').on('unhandledRejection', note)
  })
  afterEach(() => {
    process.removeAllListeners('unhandledRejection')
    for (const listener of others) process.on('unhandledRejection', listener)
  })
  const settled = () => new Promise((resolve) => setTimeout(resolve, 10))

  it.each(every)('for a question does not end the process, at %s', async (revision) => {
    const careless = tool({
      run: (_, ctx) => {
        void ctx.ask('name', 'Name?', z.object({ name: z.string() }))
        return 'done'
      },
    })
    const t = await judged(server({ name: 'shop', version: '1', tools: { careless } }), { revision, capabilities: {} })
    await t.call('careless').catch(() => undefined)
    await settled()
    expect(unhandled).toEqual([])
  })

  it.each(every)('that rejects after the timeout does not end the process, at %s', async (revision) => {
    const slow = tool({
      timeout: 5,
      run: async (_, { signal }) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        throw new Error('too late')
      },
    })
    const t = await judged(server({ name: 'shop', version: '1', tools: { slow } }), { revision })
    expect((await t.call('slow')).isError).toBe(true)
    await settled()
    expect(unhandled).toEqual([])
  })
})
