// The lifetime and the storage of console sessions.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { LoginLinks } from '../../src/console/login-links.js'
import { Sessions } from '../../src/console/sessions.js'
import type { Store } from '../../src/store/store.js'
import { folder, storeIn } from '../support/running-gateway.js'

const minute = 60_000
const hour = 60 * minute

async function opened(directory = join(folder(), 'data')): Promise<{ store: Store; directory: string }> {
  const store = await storeIn(directory)
  onTestFinished(() => store.close())
  return { store, directory }
}

/** Sessions with a clock that the test sets. */
async function sessions() {
  const { store, directory } = await opened()
  const clock = { now: Date.UTC(2026, 0, 1) }
  const now = () => clock.now
  return { all: new Sessions(store.sessions, undefined, now), clock, now, store, directory }
}

describe('a session', () => {
  it('is found only by both of its secrets', async () => {
    const { all } = await sessions()
    const [one, other] = [await all.begin('one'), await all.begin('other')]
    expect(all.find(one)?.id).toBe(one.session.id)
    expect(all.find({ cookie: one.cookie, key: other.key })).toBeUndefined()
    expect(all.find({ cookie: one.key, key: one.cookie })).toBeUndefined()
    expect(all.find({ cookie: '', key: '' })).toBeUndefined()
    expect(all.find({ cookie: one.session.cookie, key: one.session.key })).toBeUndefined()
    for (const token of [one.cookie, one.key]) expect(Buffer.from(token, 'base64url')).toHaveLength(32)
  })

  it('ends half an hour after its last use', async () => {
    const { all, clock } = await sessions()
    const { session, ...credentials } = await all.begin('one')
    clock.now += 30 * minute - 1
    expect(all.find(credentials)).toBeDefined()
    all.use(session)
    clock.now += 30 * minute - 1
    expect(all.find(credentials)).toBeDefined()
    clock.now += 1
    expect(all.find(credentials)).toBeUndefined()
    clock.now -= minute
    expect(all.find(credentials)).toBeUndefined()
  })

  it('ends after twelve hours, even in constant use', async () => {
    const { all, clock } = await sessions()
    const { session, ...credentials } = await all.begin('one')
    const begun = clock.now
    while (clock.now < begun + 12 * hour - 20 * minute) {
      clock.now += 20 * minute
      all.use(session)
    }
    expect(all.times(all.list()[0] ?? session)).toEqual({ endsAt: begun + 12 * hour, idleEndsAt: begun + 12 * hour })
    clock.now = begun + 12 * hour
    expect(all.find(credentials)).toBeUndefined()
  })

  it.each([false, true])('does not last longer if the clock is set back, used meanwhile: %s', async (isUsed) => {
    const { all, clock } = await sessions()
    const { session, ...credentials } = await all.begin('one')
    if (isUsed) clock.now += 3 * hour
    if (isUsed) all.use(session)
    clock.now -= 30_000
    expect(all.find(credentials)).toBeDefined()
    clock.now -= hour
    expect(all.find(credentials)).toBeUndefined()
  })

  it('is dropped for the ninth one, if it was unused for longest', async () => {
    const { all, clock } = await sessions()
    const begun = []
    for (let at = 0; at < 8; at++) {
      begun.push(await all.begin(`${at}`))
      clock.now += minute
    }
    const [first, second] = begun
    if (!first || !second) throw new Error('There are eight')
    all.use(first.session)
    const ended: string[] = []
    all.onEnd((id) => ended.push(id))
    await all.begin('ninth')
    expect(all.list()).toHaveLength(8)
    expect(ended).toEqual([second.session.id])
    expect(all.find(first)).toBeDefined()
  })

  it('takes the place of the one that it replaces, and of no other', async () => {
    const { all } = await sessions()
    const begun = []
    for (let at = 0; at < 8; at++) begun.push(await all.begin(`${at}`))
    const ended: string[] = []
    all.onEnd((id) => ended.push(id))
    await all.begin('again', {}, begun[7]?.session.id)
    expect(ended).toEqual([])
    await all.begin('another')
    expect(ended).toHaveLength(2)
  })

  it('survives a restart with its last use; the stored data contains no secret', async () => {
    const { all, clock, now, store, directory } = await sessions()
    const { session, ...credentials } = await all.begin('one')
    const gone = await all.begin('two')
    await all.end(gone.session.id)
    clock.now += 20 * minute
    all.use(session)
    await store.close()
    const files = ['toolwire.db', 'toolwire.db-wal'].map((name) => join(directory, name))
    const written = files.map((file) => readIfThere(file)).join()
    expect(written).toContain(session.id)
    for (const token of [credentials.cookie, credentials.key]) expect(written).not.toContain(token)
    const later = new Sessions((await opened(directory)).store.sessions, undefined, now)
    clock.now += 29 * minute
    expect(later.find(credentials)?.id).toBe(session.id)
    expect(later.find(gone)).toBeUndefined()
    clock.now += minute
    expect(later.find(credentials)).toBeUndefined()
  })
})

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

describe('a link', () => {
  it('is valid once, for five minutes', () => {
    const clock = { now: 0 }
    const links = new LoginLinks(() => clock.now)
    const [one, other, late] = [links.make(), links.make(), links.make()]
    expect(one.token).toMatch(/^[\w-]{43}$/)
    expect(links.take(one.token)).toEqual({})
    expect(links.take(one.token)).toBeUndefined()
    expect(links.take('')).toBeUndefined()
    clock.now = 5 * minute - 1
    expect(links.take(other.token)).toEqual({})
    clock.now = 5 * minute
    expect(late.expiresAt).toBe(clock.now)
    expect(links.take(late.token)).toBeUndefined()
  })

  it('shows its expiry by the system clock, but is valid no longer if that clock is set back', () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 120 * minute })
    onTestFinished(() => void vi.useRealTimers())
    const links = new LoginLinks()
    const link = links.make()
    const late = links.make()
    expect(link.expiresAt).toBe(125 * minute)
    vi.setSystemTime(60 * minute)
    expect(links.take(link.token)).toEqual({})
    vi.advanceTimersByTime(5 * minute)
    expect(links.take(late.token)).toBeUndefined()
  })

  it('is one of at most eight', () => {
    const links = new LoginLinks()
    const tokens = Array.from({ length: 9 }, () => links.make().token)
    expect(tokens.map((token) => links.take(token))).toEqual([undefined, ...Array(8).fill({})])
  })
})
