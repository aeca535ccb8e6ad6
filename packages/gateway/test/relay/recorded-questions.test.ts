// Questions of servers in the audit log: each is recorded before it is asked and when it is settled, without its answer.
import { randomInt } from 'node:crypto'
import { type JsonObject, server, tool } from 'toolwire'
import type { AuditLog, AuditRecord } from 'toolwire/guard'
import type { Answering } from 'toolwire/relay'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { AggregateServer } from '../../src/catalog/aggregate-server.js'
import { recordQuestions } from '../../src/relay/record-questions.js'
import { SuspendedCalls } from '../../src/relay/suspended-calls.js'
import { asking, client, http, listening, modern, upstream, words } from '../support/upstream-fixture.js'

const message = 'For how many?\u0007'
/** The question after sanitizing. */
const asked = { kind: 'form', message: 'For how many?' }

/** The person's reaction, and the expected outcomes: in a revision that asks by requests, and in one that asks by results. */
type Kind = {
  readonly answers: Answering
  readonly tool?: string
  readonly byRequest: string[]
  readonly byResult: string[]
  /** At a server that asks by results itself: it knows which callers support questions, and never withdraws one. */
  readonly ofModern?: (caller: string) => string[]
}
const endingsIn = (caller: string, kind: Pick<Kind, 'byRequest' | 'byResult'>) =>
  caller === modern ? kind.byResult : kind.byRequest
const secret = 1_000_000 + randomInt(1_000_000)
const failed: Answering = {
  form: () => {
    throw new Error('out of order')
  },
}
const never: Answering = { form: () => new Promise(() => undefined) }
const kinds: { readonly [name: string]: Kind } = {
  accepted: {
    answers: { form: () => ({ action: 'accept', content: { people: secret } }) },
    byRequest: ['ok'],
    byResult: ['asked', 'ok'],
  },
  declined: { answers: { form: () => ({ action: 'decline' }) }, byRequest: ['ok'], byResult: ['asked', 'ok'] },
  cancelled: { answers: { form: () => ({ action: 'cancel' }) }, byRequest: ['cancelled'], byResult: ['asked', 'cancelled'] },
  'not put, because the caller takes no questions': {
    answers: {},
    byRequest: ['failed'],
    byResult: ['failed'],
    ofModern: () => [],
  },
  'answered by an error': { answers: failed, byRequest: ['failed'], byResult: ['asked'] },
  'timed out': { answers: never, byRequest: ['failed'], byResult: ['asked'] },
  withdrawn: {
    tool: 'hasty',
    answers: never,
    byRequest: ['cancelled'],
    byResult: ['asked'],
    ofModern: (caller) => endingsIn(caller, { byRequest: ['failed'], byResult: ['asked'] }),
  },
}

async function asks(revision: string, log: AuditLog, questionTimeout = 60_000) {
  const people = z.object({ people: z.number() })
  let show: () => void = () => undefined
  const shown = new Promise<void>((resolve) => {
    show = resolve
  })
  const app = server({
    name: 'asks',
    version: '1.0.0',
    revisions: [revision],
    tools: {
      book: tool({
        description: 'Books',
        run: async (_, ctx) => `for ${(await ctx.ask('people', message, people)).people}`,
      }),
      hasty: tool({
        description: 'Asks, and does not wait for the answer',
        run: async (_, ctx) => {
          ctx.ask('people', message, people).catch(() => undefined)
          if (revision !== modern) await shown // a server of the latest revision asks when the run has ended
          return 'did not wait'
        },
      }),
    },
  })
  const suspended = new SuspendedCalls({ onQuestion: recordQuestions(() => log) })
  const about = { name: 'gateway', version: '1.0.0', questionTimeout, guard: { audit: false } } as const
  const offer = new AggregateServer({
    upstreams: [upstream('asks', http((await listening(app)).url))],
    server: about,
    suspendedCalls: suspended,
  })
  onTestFinished(() => offer.close())
  await offer.open()
  const { url } = await listening(offer.server)
  const showing =
    (form: NonNullable<Answering['form']>): typeof form =>
    (...args) => {
      show()
      return form(...args)
    }
  return async (caller: string, { answers, tool: name = 'book' }: Pick<Kind, 'answers' | 'tool'>, signal?: AbortSignal) => {
    const { form } = answers
    const one = await client(url, { revision: caller, answers: form ? { form: showing(form) } : {} })
    return one.call(`asks__${name}`, {}, { ...(signal && { signal }) }).then(words, String)
  }
}

const pairs = asking.flatMap((of) => asking.map((caller) => ({ of, caller })))

describe.each(pairs)('questions of a server of $of to a caller of $caller', ({ of, caller }) => {
  it.each(Object.entries(kinds))('that are %s have a record each, with their outcome', async (name, kind) => {
    const records: AuditRecord[] = []
    const timesOut = name === 'timed out' || (name === 'withdrawn' && of === modern)
    const log: AuditLog = { head: undefined, append: (record) => void records.push(record) }
    const call = await asks(of, log, timesOut ? 1_500 : undefined)
    const stop = new AbortController()
    const running = call(caller, kind, stop.signal)
    const wanted = of === modern && kind.ofModern ? kind.ofModern(caller) : endingsIn(caller, kind)
    await expect.poll(() => records.filter(({ kind }) => kind === 'outcome').length).toBeGreaterThanOrEqual(wanted.length)
    if (kind.answers === never) stop.abort()
    await running
    const intents = records.filter((one) => one.kind === 'intent')
    const outcomes = records.filter((one) => one.kind === 'outcome')
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(wanted)
    expect(outcomes.map(({ id }) => id)).toEqual(intents.map(({ id }) => id))
    for (const record of records) expect(record).toMatchObject({ server: 'asks', tool: 'toolwire/ask' })
    for (const intent of intents) expect(intent.arguments).toEqual(asked)
    expect(JSON.stringify(records)).not.toContain(String(secret))
  })

  it('are not asked if they cannot be recorded', async () => {
    let put = 0
    const broken: AuditLog = { head: undefined, append: () => Promise.reject(new Error('The disk is full')) }
    const call = await asks(of, broken)
    const form = (): { action: 'accept'; content: JsonObject } => {
      put++
      return { action: 'accept', content: { people: 2 } }
    }
    expect(await call(caller, { answers: { form } })).toContain('The disk is full')
    expect(put).toBe(0)
  })
})
