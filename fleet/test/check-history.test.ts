// The checker finds exactly the fault that a test has planted in a history.
import { describe, expect, it } from 'vitest'
import { checkHistory } from '../src/checker/check-history.js'
import type { AuditRow, Event } from '../src/history.js'
import { answered, chainOf, decided, executed, recordsOf, sent, soundHistory } from './sound-history.js'

type Change = (history: readonly Event[]) => readonly Event[]

const adding =
  (...more: readonly Event[]): Change =>
  (history) => [...history, ...more]
const without =
  (isGone: (event: Event) => boolean): Change =>
  (history) =>
    history.filter((event) => !isGone(event))
const changing =
  (isIt: (event: Event) => boolean, change: object): Change =>
  (history) =>
    history.map((event) => (isIt(event) ? ({ ...event, ...change } as Event) : event))
const isRow = (stream: string, sequence: number) => (event: Event) =>
  event.kind === 'audit' && event.stream === stream && event.sequence === sequence
const isAnswer = (call: string) => (event: Event) => event.kind === 'answered' && event.call === call

const spool = (phase: 'begun' | 'ended', at: number): Event => ({ kind: 'fault', fault: 'spool', phase, at })
/** A plain call during an outage of ten seconds, in which records wait on local disks. */
const inOutage = (how: 'done' | 'refused', at: number, call = 's', why = 'the store is away'): Event[] => [
  sent(call, 'plain_0', at),
  { ...answered(call, how, how === 'done' ? `done ${call}` : why), at: at + 1 } as Event,
  ...(how === 'done' ? [executed(call), ...chainOf(call, recordsOf(call))] : []),
]
const rolling = (phase: 'begun' | 'ended', at: number): Event[] => [{ kind: 'fault', fault: 'rolling', phase, at }]

const session = (client: string, at: number, isStream = false): Event => ({ kind: 'session', client, isStream, at })

/** Calls of the limited tool at these times, with all of their events. */
const limitedAt = (times: readonly number[]): Event[] => [
  ...times.flatMap((at, index) => [
    sent(`l${index}`, 'limited', at),
    answered(`l${index}`),
    executed(`l${index}`, 'limited', at),
  ]),
  ...chainOf(
    'limited',
    times.flatMap((_, index) => recordsOf(`l${index}`)),
  ),
]
const everyMs = (ms: number, count: number) => Array.from({ length: count }, (_, index) => index * ms)

const planted: readonly (readonly [fault: string, invariant: string, change: Change, text: string])[] = [
  ['a call is executed twice', 'once', adding(executed('x')), 'x was executed 2 times'],
  [
    'a refused call is executed',
    'once',
    adding(sent('q'), answered('q', 'refused'), executed('q'), ...chainOf('c', recordsOf('q'))),
    'q was refused and executed',
  ],
  [
    'an answer is invented',
    'once',
    without((event) => event.kind === 'executed' && event.call === 'x'),
    'x was answered and never',
  ],
  ['a pending call is decided twice', 'approval', adding(decided('ask z', 'z')), 'ask z was decided 2 times'],
  [
    'a decision is lost',
    'approval',
    changing((event) => event.kind === 'approval', { decision: null }),
    'ask z was answered with allow, and the table says nothing',
  ],
  [
    'one approval covers two calls',
    'approval',
    (history) => adding(executed('z', 'risky'))(history),
    'z was executed 2 times with 1 approvals',
  ],
  [
    'a risky call runs without an approval',
    'approval',
    without((event) => event.kind === 'decided'),
    'z was executed 1 times with 0',
  ],
  [
    'an intent is missing',
    'records',
    without((event) => event.kind === 'audit' && event.stream === 'b'),
    'z was executed and has no',
  ],
  ['an outcome is missing', 'records', without(isRow('b', 2)), 'z was answered and has no outcome'],
  [
    'a record was moved from the disk of a replica twice',
    'records',
    adding(...chainOf('c', recordsOf('x'))),
    'the intent of record x was written 2 times',
  ],
  [
    'a call is refused while records wait on the disks',
    'spool',
    adding(spool('begun', 0), ...inOutage('done', 6_000, 't'), ...inOutage('refused', 6_000), spool('ended', 10_000)),
    's/1 was not made while PostgreSQL was unavailable: the store is away',
  ],
  [
    'no call is made while records wait on the disks',
    'spool',
    adding(spool('begun', 0), ...inOutage('refused', 1_000), spool('ended', 10_000)),
    'no call was made while PostgreSQL was unavailable',
  ],
  [
    'a record is lost together with the disk of a replica',
    'records',
    adding(spool('begun', 0), ...inOutage('done', 6_000).filter(({ kind }) => kind !== 'audit'), spool('ended', 10_000)),
    's was executed and has no intent',
  ],
  ['a record in the middle is missing', 'chains', without(isRow('a', 2)), 'a #3 does not follow #1'],
  ['the first record is missing', 'chains', without(isRow('a', 1)), 'a #2 does not follow #0'],
  ['the last record is missing', 'chains', without(isRow('b', 2)), 'checkpoint 2 names #2 of b, which does not exist'],
  [
    'a whole stream is missing',
    'chains',
    without((event) => event.kind === 'audit' && event.stream === 'b'),
    'checkpoint 2 names #2 of b, which does not exist',
  ],
  ['a record is changed', 'chains', changing(isRow('a', 2), { text: '{}' }), 'a #2 does not match its hash'],
  ['a chain is rebuilt from other records', 'chains', remade, 'checkpoint 2 names another hash of b #2'],
  ['a record of another chain is inserted', 'chains', mixed, 'a #2 has the hash of another record as previous'],
  [
    'a checkpoint is forged',
    'chains',
    changing((event) => event.kind === 'checkpoint', { isSigned: false }),
    'has no valid signature',
  ],
  [
    'a checkpoint is missing',
    'chains',
    without((event) => event.kind === 'checkpoint' && event.number === 1),
    'the checkpoints #2 does not',
  ],
  ['a call is never answered', 'answers', without(isAnswer('r')), 'r/1 was never answered'],
  ['a call is answered twice', 'answers', adding(answered('x')), 'x/1 was answered 2 times'],
  [
    "a caller receives the answer to another's call",
    'answers',
    changing(isAnswer('x'), { text: 'done y' }),
    'x/1 was answered with "done y"',
  ],
  ['a failure has no type', 'answers', changing(isAnswer('r'), { how: 'untyped' }), 'r/1 failed without a type'],
  ['a rate limit admits too many calls', 'rate', adding(...limitedAt(everyMs(40, 100))), 'limited was executed 100 times'],
  [
    'a rate limit admits too few calls',
    'rate',
    adding(
      ...limitedAt(everyMs(200, 8)),
      ...chainOf(
        'refused',
        everyMs(50, 40).map((at) => ({ tool: 'web__limited', reason: 'rate-limited', at })),
      ),
    ),
    'limited was executed 8 times',
  ],
  [
    'a call fails in a rolling restart',
    'outage',
    (history) => [
      ...rolling('begun', 0),
      ...history,
      sent('w', 'plain_0', 1),
      answered('w', 'failed', 'gone'),
      ...rolling('ended', 2),
    ],
    'w/1 of one failed in a rolling restart: gone',
  ],
  [
    'a session is lost in a rolling restart',
    'sessions',
    (history) => [...rolling('begun', 5), ...history, { kind: 'session-lost', session: 's', at: 6 }, ...rolling('ended', 7)],
    'session s was not known',
  ],
  [
    'a client has to begin a new session in a rolling restart',
    'sessions',
    (history) => [...rolling('begun', 5), ...history, session('one', 6), ...rolling('ended', 7)],
    'one had to begin a new session',
  ],
  ['a client is not served again', 'recovery', adding({ kind: 'recovered', client: 'two', ms: null }), 'two got no result'],
  ['a client waits too long', 'recovery', adding({ kind: 'recovered', client: 'two', ms: 12_000 }), 'two waited 12000 ms'],
]

function remade(history: readonly Event[]): readonly Event[] {
  const rows = chainOf(
    'b',
    recordsOf('z').map((record) => ({ ...record, at: 1 })),
  )
  return [...history.filter((event) => event.kind !== 'audit' || event.stream !== 'b'), ...rows]
}

function mixed(history: readonly Event[]): readonly Event[] {
  const [, foreign] = chainOf('a', [{ kind: 'other' }, ...recordsOf('x')])
  return history.map((event) => (isRow('a', 2)(event) ? (foreign as AuditRow satisfies Event) : event))
}

describe('the history checker', () => {
  it('finds nothing in a correct history', () => {
    expect(checkHistory(soundHistory)).toEqual([])
  })

  it('finds nothing in calls that keep to their rate limit', () => {
    expect(checkHistory([...soundHistory, ...limitedAt(everyMs(100, 60))])).toEqual([])
  })

  it('finds nothing in calls during an outage, including calls refused at its beginning or by a rate limit', () => {
    const refused = [...inOutage('refused', 1_000, 'q'), ...inOutage('refused', 6_000, 't', 'called too often')]
    const outage = [spool('begun', 0), ...refused, ...inOutage('done', 6_000), spool('ended', 10_000)]
    expect(checkHistory([...soundHistory, ...outage])).toEqual([])
  })

  it('finds nothing in a stream that ends with its replica, nor in sessions that begin outside of a restart', () => {
    const restart = [...rolling('begun', 5), ...rolling('ended', 7)]
    const begun = [session('two', 6, true), session('two', 4), session('two', 8)]
    expect(checkHistory([...restart, ...soundHistory, ...begun])).toEqual([])
  })

  it.each(planted)('finds that %s', (_, invariant, change, text) => {
    expect(checkHistory(change(soundHistory))).toContainEqual({ invariant, text: expect.stringContaining(text) })
  })
})
