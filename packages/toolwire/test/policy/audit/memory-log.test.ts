import { afterEach, describe, expect, it, vi } from 'vitest'
import { memoryAudit } from '../../../src/policy/audit/memory-log.js'
import type { AuditIntent } from '../../../src/policy/audit/record.js'
import { LazyDigests, withDigests } from '../../../src/policy/audit/redaction.js'
import { verifyAudit } from '../../../src/policy/audit/verify.js'
import { callOf } from '../call.js'
import { intentOf } from './records.js'

describe('an audit log in memory', () => {
  it('keeps the latest entries, which can still be verified', async () => {
    const log = memoryAudit({ most: 100 })
    for (let number = 1; number <= 100; number++) log.append(intentOf(number))
    expect(log.from).toBeUndefined()
    for (let number = 101; number <= 1_234; number++) log.append(intentOf(number))
    expect(log.entries().map(({ sequence }) => sequence)).toEqual(Array.from({ length: 100 }, (_, index) => 1_135 + index))
    expect(log.from?.sequence).toBe(1_134)
    expect(await verifyAudit(log.lines(), { from: log.from, head: log.head })).toMatchObject({ ok: true, entries: 100 })
  })

  it('links later entries to an earlier export, whatever was dropped between', async () => {
    const log = memoryAudit({ most: 50 })
    for (let number = 1; number <= 70; number++) log.append(intentOf(number))
    const seen = log.entries()
    const head = log.head
    const lines = [...log.lines()]
    for (let number = 71; number <= 110; number++) log.append(intentOf(number))
    // The ten common entries are equal, and the others follow from them.
    expect(log.entries().slice(0, 10)).toEqual(seen.slice(40))
    expect(log.from?.hash).toBe(seen[39]?.hash)
    const whole = [...lines, ...log.lines().slice(10)]
    expect(await verifyAudit(whole, { from: { sequence: 20, hash: '0'.repeat(64) }, head })).toMatchObject({
      ok: true,
      entries: 90,
    })
    expect(await verifyAudit(whole, { from: { sequence: 20, hash: '0'.repeat(64) }, head: log.head })).toMatchObject({ ok: true })
  })

  it('keeps 1,000 entries by default', () => {
    const log = memoryAudit()
    for (let number = 1; number <= 1_001; number++) log.append(intentOf(number))
    expect(log.entries()).toHaveLength(1_000)
  })

  it('keeps at most 8 Mi characters of arguments', async () => {
    const log = memoryAudit()
    const text = '\u{1f511}'.repeat(5_000)
    for (let number = 1; number <= 1_000; number++) log.append(intentOf(number, { text }))
    const characters = log.entries().reduce((sum, entry) => sum + JSON.stringify(JSON.parse(entry.text).arguments).length, 0)
    expect(characters).toBeLessThanOrEqual(8 * 1_024 * 1_024)
    expect(characters).toBeGreaterThan(8 * 1_024 * 1_024 - 20_000)
    expect(await verifyAudit(log.lines(), { from: log.from, head: log.head })).toMatchObject({ ok: true })
  })

  it('keeps copies that later changes do not affect', () => {
    const log = memoryAudit()
    const args = { list: [1] }
    log.append(intentOf(1, args))
    args.list.push(2)
    expect(JSON.parse(log.entries()[0]?.text ?? '').arguments).toEqual({ list: [1] })
  })

  it('keeps the full number of short entries after long ones', () => {
    const log = memoryAudit({ most: 500 })
    for (let number = 1; number <= 1_000; number++) log.append(intentOf(number, { text: 'x'.repeat(20_000) }))
    expect(log.entries().length).toBeLessThan(500)
    for (let number = 1; number <= 1_000; number++) log.append(intentOf(number))
    expect(log.entries()).toHaveLength(500)
  })

  it('keeps the latest entry, however long it is', async () => {
    const log = memoryAudit()
    for (const [number, length] of [10, 3_000_000, 9_000_000].entries())
      log.append(intentOf(number, { text: 'ü'.repeat(length) }))
    expect(log.entries().map(({ sequence }) => sequence)).toEqual([3])
    log.append(intentOf(4))
    expect(await verifyAudit(log.lines(), { from: log.from, head: log.head })).toMatchObject({ ok: true, entries: 1 })
  })

  it.each([0, Number.NaN])('refuses to keep %s', (most) =>
    expect(() => memoryAudit({ most })).toThrow(/`most: .*whole number, 1 or more/))
})

describe('lazy digests of arguments', () => {
  afterEach(() => void vi.useRealTimers())

  const hexOf = (text: string) => Buffer.from(text).toString('hex')
  const counted = () => {
    let count = 0
    const log = memoryAudit()
    const hmac = (text: string) => {
      count++
      return hexOf(text)
    }
    const args = new LazyDigests({ b: 1, a: [2] }, hmac) as object as AuditIntent['arguments'] // in the form that the policy passes
    return { log, append: () => void log.append(intentOf(1, args)), count: () => count }
  }

  it('are computed once on first access, from the canonical form', () => {
    const { log, append, count } = counted()
    append()
    expect(count()).toBe(0)
    const [first] = log.entries()
    expect(JSON.parse(first?.text ?? '').arguments).toEqual({ type: 'object', length: 2, hmac: hexOf('{"a":[2],"b":1}') })
    expect(log.entries()).toEqual([first])
    expect(count()).toBe(1)
  })

  it('replace the arguments within a second, even without access', () => {
    vi.useFakeTimers()
    const { append, count } = counted()
    append()
    vi.advanceTimersByTime(999)
    expect(count()).toBe(0)
    vi.advanceTimersByTime(1)
    expect(count()).toBe(1)
    append()
    vi.advanceTimersByTime(1_000)
    expect(count()).toBe(1)
  })

  it('are computed at once if more than a Mi of characters wait, whatever the number of arguments', () => {
    const log = memoryAudit()
    let count = 0
    const append = (text: string) => {
      const args = new LazyDigests({ text }, (whole) => {
        count++
        return whole.slice(0, 1)
      })
      log.append(intentOf(1, args as object as AuditIntent['arguments'])) // in the form that the policy passes
    }
    append('x'.repeat(2_000_000))
    expect(count).toBe(1)
    for (let n = 0; n < 10; n++) append('x'.repeat(100_000))
    expect(count).toBe(1)
    append('x'.repeat(100_000))
    expect(count).toBe(12)
  })

  it('use the original arguments, including numbers that JSON cannot represent exactly', () => {
    const digests = withDigests({ key: new Uint8Array(32) })
    const digestOf = (args: object) => {
      const kept = digests(callOf({ arguments: args as AuditIntent['arguments'] })) as object as LazyDigests // without `each`
      return () => kept.digests.hmac
    }
    const args = { list: [1] }
    const kept = digestOf(args)
    args.list.push(2)
    expect(kept()).toBe(digestOf({ list: [1] })())
    expect(kept()).not.toBe(digestOf(args)())
    expect(digestOf({ n: 2n ** 60n })()).not.toBe(digestOf({ n: 2n ** 60n + 1n })())
    expect(digestOf({ b: 1, a: 2 })()).toBe(digestOf({ a: 2, b: 1 })())
  })
})
