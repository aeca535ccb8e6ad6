import { describe, expect, it } from 'vitest'
import { asked as kept } from '../../../gateway/test/support/approval-requests.js'
import { expectWithin } from '../../../toolwire/test/soak.js'
import type { Approval, ApprovalGroup, Approvals, Danger } from '../../src/api/types.js'
import { type Ending, endingIn, endingOf } from '../../src/approvals/endings.js'
import {
  emptyQueue,
  groupKey,
  queueEntries,
  queueEntryOf,
  withApproval,
  withEndingsInQueue,
  withGroupPage,
  withoutEnded,
  withPage,
} from '../../src/approvals/queue/queue.js'
import { neighbour, shownEntries, shownIds } from '../../src/approvals/queue/shown-entries.js'

type Some = { readonly danger?: Danger; readonly askedAt?: number; readonly expiresAt?: number; readonly tool?: string }

const asked = (id: string, { danger = 'write', askedAt = 0, expiresAt = 300_000, tool = 'write_file' }: Some = {}): Approval => ({
  ...kept({ id, caller: 'ana', arguments: {}, expiresAt }),
  ...{ server: 'files', tool: { name: tool, definitionHash: 'sha256:1', hash: 'sha256:1' }, askedAt, danger, trusted: false },
})

function page(approvals: readonly Approval[], more: { readonly count?: number; readonly next?: string } = {}): Approvals {
  const groups = new Map<string, ApprovalGroup>()
  for (const { tool, server, caller, danger } of approvals) {
    const about = { tool: tool.name, server, caller }
    const count = (groups.get(groupKey(about))?.count ?? 0) + 1
    groups.set(groupKey(about), { ...about, count: more.count ?? count, danger })
  }
  const total = [...groups.values()].reduce((sum, { count }) => sum + count, 0)
  return { total, groups: [...groups.values()], approvals, ...(more.next !== undefined && { next: more.next }) }
}

const news = (...all: readonly (readonly [string, Ending])[]) => new Map(all)
const idsOf = (queue: Parameters<typeof queueEntries>[0]) => queueEntries(queue).map(({ approval }) => approval.id)
const denied: Ending = { what: 'denied', by: 'console:ab12cd' }

describe('the order of the queue', () => {
  it('puts the most dangerous group first, and the oldest call first in each group', () => {
    const queue = withPage(
      emptyQueue,
      page([
        asked('read', { danger: 'read', tool: 'read_file' }),
        asked('young', { danger: 'destructive', tool: 'delete_file', askedAt: 9 }),
        asked('write', { askedAt: 1 }),
        asked('old', { danger: 'destructive', tool: 'delete_file', askedAt: 2 }),
      ]),
    )
    expect(idsOf(queue)).toEqual(['old', 'young', 'write', 'read'])
  })

  it('is stable for calls requested in the same millisecond', () => {
    const both = [asked('b'), asked('a')]
    expect(idsOf(withPage(emptyQueue, page(both)))).toEqual(idsOf(withPage(emptyQueue, page([...both].reverse()))))
  })
})

describe('an ending', () => {
  const queue = withPage(emptyQueue, page([asked('one'), asked('two')]))

  it('is shown in place at once, and reduces the count', () => {
    const after = withEndingsInQueue(queue, news(['one', denied]))
    expect(idsOf(after)).toEqual(['one', 'two'])
    expect(queueEntryOf(after, 'one')?.ending).toEqual(denied)
    expect(queueEntryOf(after, 'two')?.ending).toBeUndefined()
    expect(after.groups[0]?.count).toBe(1)
  })

  it('is counted once for each call, however often it is reported', () => {
    const twice = withEndingsInQueue(withEndingsInQueue(queue, news(['one', { what: 'over' }])), news(['one', denied]))
    expect(twice.groups[0]?.count).toBe(1)
    expect(queueEntryOf(twice, 'one')?.ending).toEqual(denied)
  })

  it('is not replaced by a later one that says less', () => {
    const after = withEndingsInQueue(withEndingsInQueue(queue, news(['one', denied])), news(['one', { what: 'over' }]))
    expect(queueEntryOf(after, 'one')?.ending).toEqual(denied)
    expect(queueEntryOf(withEndingsInQueue(after, news(['one', { what: 'expired' }])), 'one')?.ending).toEqual(denied)
  })

  it('may come before the call: a page that was read earlier does not bring the call back', () => {
    const ended = withEndingsInQueue(emptyQueue, news(['one', denied]))
    const late = withPage(ended, page([asked('one'), asked('two')]))
    expect(queueEntryOf(late, 'one')?.ending).toEqual(denied)
    expect(queueEntryOf(withPage(late, page([asked('one')])), 'one')?.ending).toEqual(denied)
  })

  it('is one of ten thousand that are applied in one step', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => [`id${index}`, denied] as const)
    const times = [1, 2, 3].map(() => {
      const started = performance.now()
      withEndingsInQueue(queue, news(...many, ['one', denied]))
      return performance.now() - started
    })
    expectWithin(Math.min(...times), 500)
    const after = withEndingsInQueue(queue, news(...many, ['one', denied]))
    expect(after.endings.size).toBe(10_000)
  })
})

describe('a page that is read again', () => {
  const queue = withPage(emptyQueue, page([asked('one'), asked('two')]))

  it('ends a call that is missing, if the page has all pending calls', () => {
    const after = withPage(queue, page([asked('two'), asked('three')]))
    expect(queueEntryOf(after, 'one')?.ending).toEqual({ what: 'over' })
    expect(queueEntryOf(after, 'three')?.ending).toBeUndefined()
  })

  it('keeps calls that may be on a later page', () => {
    const after = withPage(queue, page([asked('two')], { next: 'more', count: 2 }))
    expect(queueEntryOf(after, 'one')?.ending).toBeUndefined()
    expect(idsOf(after)).toEqual(['one', 'two'])
  })

  it('updates a call, so that a changed tool is noticed', () => {
    const after = withPage(queue, page([{ ...asked('one'), changed: true }, asked('two')]))
    expect(queueEntryOf(after, 'one')?.approval.changed).toBe(true)
  })

  it('keeps a group that the gateway no longer names while one of its calls is shown', () => {
    const after = withPage(withEndingsInQueue(queue, news(['one', denied])), page([]))
    expect(after.groups.map(({ count }) => count)).toEqual([0])
    expect(withoutEnded(after, (id) => id !== 'one').groups[0]?.entries.map(({ approval }) => approval.id)).toEqual(['one'])
    expect(withoutEnded(after, () => true).groups).toEqual([])
  })

  it('has groups without a known call', () => {
    const flood: ApprovalGroup = { tool: 'spam', server: 'x', caller: 'robot', count: 9_950, danger: 'write' }
    const first = page([asked('one')], { next: 'more' })
    const after = withPage(emptyQueue, { ...first, groups: [...first.groups, flood] })
    expect(after.groups.map(({ tool, count, entries }) => [tool, count, entries.length])).toEqual([
      ['write_file', 1, 1],
      ['spam', 9_950, 0],
    ])
  })
})

describe('a page of one group', () => {
  it('adds the calls that the group does not have yet', () => {
    const queue = withPage(emptyQueue, page([asked('one', { askedAt: 1 })], { count: 3, next: 'all' }))
    const key = queue.groups[0]?.key ?? ''
    const more = withGroupPage(queue, key, page([asked('one', { askedAt: 1 }), asked('two', { askedAt: 2 })], { next: 'two' }))
    expect(idsOf(more)).toEqual(['one', 'two'])
    expect(more.groups[0]?.next).toBe('two')
    const last = withGroupPage(more, key, page([asked('three', { askedAt: 3 })]))
    expect(last.groups[0]).not.toHaveProperty('next')
    expect(withPage(more, page([asked('one')], { count: 3, next: 'all' })).groups[0]?.next).toBe('two')
  })
})

describe('one call that is read separately', () => {
  const queue = withPage(emptyQueue, page([asked('one', { askedAt: 1 }), asked('two', { askedAt: 2 })]))

  it('replaces the same call', () => {
    const after = withApproval(queue, { ...asked('one', { askedAt: 1 }), changed: true, changes: ['policy'] })
    expect(idsOf(after)).toEqual(['one', 'two'])
    expect(queueEntryOf(after, 'one')?.approval.changes).toEqual(['policy'])
    expect(after.groups[0]?.count).toBe(2)
  })

  it('is added in its place, in a new group if necessary', () => {
    expect(idsOf(withApproval(queue, asked('late', { askedAt: 3 })))).toEqual(['one', 'two', 'late'])
    expect(idsOf(withApproval(queue, asked('worse', { danger: 'destructive', tool: 'delete_file' })))).toEqual([
      'worse',
      'one',
      'two',
    ])
  })

  it('is over if its ending was reported before', () => {
    expect(queueEntryOf(withApproval(withEndingsInQueue(queue, news(['late', denied])), asked('late')), 'late')?.ending).toEqual(
      denied,
    )
  })
})

describe('endings in messages of the gateway', () => {
  it('are read from events, from past approvals and from refusals', () => {
    expect(endingOf({ decision: 'allow', by: 'webhook' })).toEqual({ what: 'allowed', by: 'webhook' })
    expect(endingOf({ state: 'released' })).toEqual({ what: 'allowed' })
    expect(endingOf({ decision: 'deny', state: 'denied', why: 'no' })).toEqual({ what: 'denied', why: 'no' })
    expect([endingOf({ state: 'expired' }), endingOf({ state: 'gone' }), endingOf({})]).toEqual([
      { what: 'expired' },
      { what: 'gone' },
      { what: 'over' },
    ])
    expect(endingOf({ state: 'constructor' })).toEqual({ what: 'over' })
  })

  it('distinguish a decided call from one that has changed since it was shown', () => {
    expect(endingIn({ state: 'released', decision: 'allow', by: 'console:ab12cd' })).toEqual({
      what: 'allowed',
      by: 'console:ab12cd',
    })
    expect(endingIn({ state: 'expired' })).toEqual({ what: 'expired' })
    expect(endingIn({ changes: ['definition'] })).toBeUndefined()
    expect(endingIn({ state: 'other' })).toBeUndefined()
    expect(endingIn({})).toBeUndefined()
  })
})

describe('the shown entries', () => {
  const queue = withPage(emptyQueue, page(Array.from({ length: 9 }, (_, index) => asked(`id${index}`, { askedAt: index }))))
  const [group] = queue.groups

  it('are the first of each group, as many as requested, and the selected one', () => {
    expect(shownEntries(group!, new Map(), undefined)).toHaveLength(5)
    expect(shownIds(queue, new Map(), 'id8')).toEqual(['id0', 'id1', 'id2', 'id3', 'id4', 'id8'])
    expect(shownIds(queue, new Map([[group!.key, 7]]), undefined)).toHaveLength(7)
  })

  it('have neighbours, except at the ends', () => {
    const ids = ['a', 'b', 'c']
    expect([neighbour(ids, 'a', 1), neighbour(ids, 'b', -1), neighbour(ids, 'c', 1), neighbour(ids, 'a', -1)]).toEqual([
      'b',
      'a',
      'c',
      'a',
    ])
    expect([neighbour(ids, undefined, 1), neighbour(ids, 'gone', -1), neighbour([], 'a', 1)]).toEqual(['a', 'a', undefined])
  })
})
