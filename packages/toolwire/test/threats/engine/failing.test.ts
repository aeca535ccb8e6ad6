// Any failure between a call and its handler denies the call. The handler never runs, and other tools still work.

import { once } from 'node:events'
import { mkdtemp, rm, unlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from 'redis'
import type { Policy } from 'toolwire/guard'
import { listen } from 'toolwire/node'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { LimitStore } from '../../../src/policy/rate-limit/store.js'
import type { Rules } from '../../../src/policy/rules/rulebook.js'
import { redisLimits } from '../../../src/redis.js'
import { Rulebook, type RuleSet, rules, watchRules } from '../../../src/rules.js'
import { every } from '../../revisions.js'
import '../../reported-faults.js'
import { call, selfDescribing } from '../../transports/fixture.js'
import { both, mirrored } from '../../transports/peers.js'
import { type Choice, till } from './till.js'

const newest = every.at(-1) ?? ''
const open: RuleSet = { default: 'allow', rules: [] }
const hourly: RuleSet = { rules: [{ name: 'some', decision: 'allow', limit: { calls: 100, per: 'hour' } }] }
const boom = (): never => {
  throw new Error('the disk is on fire at /srv/secret')
}

afterEach(() => void vi.useRealTimers())

const broken = (store: () => unknown): LimitStore => ({ take: store as LimitStore['take'] })
const throwingSource = (): Rules => ({
  get current(): Rulebook {
    return boom()
  },
})
const sourceThatFailsLater = (): Rules => {
  const book = new Rulebook(open)
  book.judge = boom
  return book
}
const answering = (result: unknown): Policy => ({ name: 'answers', call: (async () => result) as never })

const ways: readonly (readonly [what: string, policy: () => Policy])[] = [
  ['rules whose source throws', () => rules(throwingSource())],
  ['rules that throw while they judge', () => rules(sourceThatFailsLater())],
  ['rules that are not there', () => rules({ current: undefined })],
  ['a store that throws', () => rules(hourly, { store: broken(boom) })],
  ['a store that rejects', () => rules(hourly, { store: broken(async () => boom()) })],
  ...[Number.NaN, -1, -0.5, Number.POSITIVE_INFINITY, '0', '', null, undefined, true, false, {}, []].flatMap((nonsense) => [
    [`a store that says ${String(JSON.stringify(nonsense))}`, () => rules(hourly, { store: broken(() => nonsense) })] as const,
    [
      `a store that says ${String(JSON.stringify(nonsense))} later`,
      () => rules(hourly, { store: broken(async () => nonsense) }),
    ] as const,
  ]),
  ['a policy that throws', () => ({ name: 'throws', call: boom })],
  ['a policy that rejects', () => ({ name: 'rejects', call: async () => boom() })],
  ['a policy that throws no error', () => ({ name: 'odd', call: () => Promise.reject('no') })],
  ['a policy that throws nothing at all', () => ({ name: 'odd', call: () => Promise.reject(undefined) })],
  ...[undefined, null, 'allow', true, 0, {}, { content: 'paid' }, { content: [7] }].map(
    (result) =>
      [`a policy that goes on to nobody and answers ${String(JSON.stringify(result))}`, () => answering(result)] as const,
  ),
]

describe.each(every)('a call at %s is denied', (revision) => {
  it.each(ways)('SECS-002 by %s, with an error that does not reveal the reason', async (_, policy) => {
    const t = await till(revision, { policies: [policy()] })
    const { isNo, words } = await t.pay()
    expect([isNo, t.ran]).toEqual([true, []])
    expect(words).not.toMatch(/fire|secret|TypeError|undefined|not a function/)
    expect(await t.look()).toEqual({ isNo: false, words: 'seen' })
  })
})

describe('a call is denied', () => {
  const deafStore = () => broken(() => new Promise(() => undefined))

  it.each<readonly [string, () => Choice]>([
    ['rules', () => ({ policies: [rules(hourly, { store: deafStore() })] })],
    ['a tool’s own limit', () => ({ limit: { calls: 5, per: 'hour' }, limitStore: deafStore() })],
  ])('SECS-003 by a store that never answers, for %s', async (_, choice) => {
    const t = await till(newest, choice())
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const asked = t.pay()
    await vi.advanceTimersByTimeAsync(5_001)
    expect([(await asked).isNo, t.ran]).toEqual([true, []])
  })

  it.each<readonly [string, () => unknown]>([
    ['throws', boom],
    ['rejects', async () => boom()],
    ['says a word', () => '0'],
    ['says nothing', () => undefined],
    ['says NaN', () => Number.NaN],
    ['says less than nothing later', async () => -1],
    ['says a word later', async () => '0'],
  ])('SECS-003 by a server whose limit store %s', async (_, take) => {
    const limited = { limit: { calls: 5, per: 'hour' }, limitStore: broken(take) } as const
    const t = await till(newest, limited)
    const { isNo, words } = await t.pay()
    expect([isNo, t.ran]).toEqual([true, []])
    expect(words).not.toMatch(/fire|secret/)
  })

  it('SECS-007 by a condition that exceeds its step limit, for that call alone', async () => {
    const doubles: RuleSet = {
      default: 'allow',
      rules: [
        { name: 'doubles', when: { arguments: { list: { not: { uniqueItems: true }, optional: true } } }, decision: 'deny' },
      ],
    }
    const t = await till(newest, { policies: [rules(doubles)] })
    const list = Array.from({ length: 30_000 }, (_, index) => ({ index, same: [index] }))
    expect([(await t.pay({ list })).isNo, t.ran]).toEqual([true, []])
    expect(await t.pay({ list: [1, 2] })).toEqual({ isNo: false, words: 'paid 1' })
  })

  it('SECS-002 by the last valid rules if their file becomes invalid or is deleted', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rules-'))
    const path = join(folder, 'rules.json')
    const denying =
      '{"default":"allow","rules":[{"name":"no","decision":"deny","when":{"tool":"pay","arguments":{"sum":{"minimum":5}}}}]}'
    await writeFile(path, denying)
    const reported: string[] = []
    const watched = await watchRules(path, { settleMs: 10, pollMs: 40, onError: ({ message }) => void reported.push(message) })
    try {
      const t = await till(newest, { policies: [rules(watched)] })
      const breakings = [
        () => writeFile(path, denying.slice(0, -9)),
        () => writeFile(path, '{"rules":"none"}'),
        () => unlink(path),
      ]
      for (const [index, breaks] of breakings.entries()) {
        await breaks()
        await vi.waitFor(() => expect(reported).toHaveLength(index + 1), { timeout: 60_000 })
        expect((await t.pay({ sum: 5 })).isNo).toBe(true)
        expect((await t.pay({ sum: 4 })).isNo).toBe(false)
      }
      expect(t.ran).toHaveLength(3)
    } finally {
      watched.close()
      await rm(folder, { recursive: true, force: true })
    }
  })

  it.each<readonly [string, () => unknown]>([
    ['throws', boom],
    ['rejects', async () => boom()],
    ['returns true instead of a caller', () => true],
    ['returns a caller without an id', () => ({ name: 'ada' })],
    ['gives a word', () => 'ada'],
  ])('SECS-002 over HTTP if the authentication %s', async (_, authenticate) => {
    const complained = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const t = await till(newest)
    const listening = await listen(t.app, { signals: false, authenticate: authenticate as never })
    try {
      const message = selfDescribing(call(1, 'pay', {}))
      const headers = { 'content-type': 'application/json', accept: both, authorization: 'Bearer x', ...mirrored(message) }
      const response = await fetch(listening.url, { method: 'POST', headers, body: JSON.stringify(message) })
      expect([response.status >= 400, t.ran]).toEqual([true, []])
      expect(await response.text()).not.toMatch(/fire|secret/)
    } finally {
      await listening.close()
      complained.mockRestore()
    }
  })

  it('SECS-003 beyond the share of this replica if Redis accepts the connection and then does not respond', async () => {
    const deaf = createServer(() => undefined).listen(0, '127.0.0.1')
    await once(deaf, 'listening')
    const address = deaf.address()
    const client = createClient({ url: `redis://127.0.0.1:${typeof address === 'object' ? address?.port : ''}` })
    client.on('error', () => undefined)
    client.connect().catch(() => undefined)
    try {
      const limitStore = redisLimits(client, { replicas: 2, withinMs: 100 })
      const t = await till(newest, { limit: { calls: 10, per: 'hour' }, limitStore })
      const answers = await Promise.all(Array.from({ length: 20 }, () => t.pay()))
      expect(answers.filter(({ isNo }) => !isNo)).toHaveLength(5)
      expect(t.ran).toHaveLength(5)
    } finally {
      client.destroy()
      deaf.close()
    }
  })
})

describe('a policy that calls next twice', () => {
  it('runs the handler twice, as requested', async () => {
    const twice: Policy = {
      name: 'twice',
      call: async (call, next) => {
        await next(call)
        return next(call)
      },
    }
    const t = await till(newest, { policies: [twice] })
    expect(await t.pay()).toEqual({ isNo: false, words: 'paid 2' })
  })

  it('SECS-003 is subject to inner limits each time', async () => {
    const greedy: Policy = {
      name: 'greedy',
      call: async (call, next) => {
        await Promise.allSettled(Array.from({ length: 20 }, () => next(call)))
        return next(call)
      },
    }
    const few: RuleSet = { rules: [{ name: 'some', decision: 'allow', limit: { calls: 3, per: 'hour' } }] }
    const t = await till(newest, { policies: [greedy, rules(few)] })
    expect((await t.pay()).isNo).toBe(true)
    expect(t.ran).toHaveLength(3)
  })
})
