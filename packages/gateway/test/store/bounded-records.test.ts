// Records of actions that anyone can repeat: ten a minute of each kind, then a count of the others.
import type { AuditLog, AuditRecord } from 'toolwire/guard'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { boundedRecords } from '../../src/store/audit/bounded-records.js'

type Intent = Extract<AuditRecord, { kind: 'intent' }>

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** An audit log that can be absent or failing. */
function watched() {
  const records: AuditRecord[] = []
  const troubles: string[] = []
  const at = { isOn: true, fails: false, disk: Promise.resolve() }
  const append = async (record: AuditRecord) => {
    const { disk } = at
    at.disk = Promise.resolve()
    await disk
    if (at.fails) throw new Error('the disk is full')
    records.push(record)
  }
  const log = { append } as unknown as AuditLog // the tested code uses only this method
  const bounded = boundedRecords(
    () => (at.isOn ? log : undefined),
    (words) => void troubles.push(words),
  )
  const note = (act: string, times = 1, refused = true) => {
    for (let n = 0; n < times; n++) bounded.note({ by: 'eve', act, about: { n }, refused })
  }
  const intents = () => records.filter((record): record is Intent => record.kind === 'intent')
  const counts = () => intents().flatMap(({ tool, arguments: about }) => ('notRecorded' in about ? [[tool, about]] : []))
  return { at, bounded, note, records, troubles, intents, counts }
}

describe('actions', () => {
  it('are recorded ten times a minute for each kind, and then counted', async () => {
    const { note, intents, counts, records } = watched()
    note('knock', 13)
    note('ring', 10)
    await vi.advanceTimersByTimeAsync(59_999)
    expect(intents().map(({ tool }) => tool.slice(9))).toEqual([...Array(10).fill('knock'), ...Array(10).fill('ring')])
    await vi.advanceTimersByTimeAsync(1)
    expect(counts()).toEqual([['toolwire/knock', { notRecorded: 3, withinMs: 60_000 }]])
    expect(records.at(-2)).toMatchObject({ caller: 'toolwire', kind: 'intent' })
    expect(records.at(-1)).toMatchObject({ caller: 'toolwire', kind: 'outcome', outcome: 'refused' })
  })

  it('are recorded again after the minute, with a new count', async () => {
    const { note, intents, counts } = watched()
    note('knock', 11)
    await vi.advanceTimersByTimeAsync(60_000)
    note('knock', 12)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(counts().map(([, about]) => about)).toMatchObject([{ notRecorded: 1 }, { notRecorded: 2 }])
    expect(intents()).toHaveLength(22)
  })

  it('that were counted are recorded at the end, once', async () => {
    const { bounded, note, counts, intents } = watched()
    note('knock', 11)
    note('ring')
    await bounded.close()
    expect(counts()).toEqual([['toolwire/knock', { notRecorded: 1, withinMs: 60_000 }]])
    await vi.advanceTimersByTimeAsync(120_000)
    expect(intents()).toHaveLength(12)
  })

  it('are all durable when the end has completed', async () => {
    const { at, bounded, note, records } = watched()
    let write = (): void => undefined
    at.disk = new Promise((resolve) => {
      write = resolve
    })
    note('knock', 11)
    const counts: number[] = []
    const closed = bounded.close().then(() => counts.push(records.length))
    await vi.advanceTimersByTimeAsync(1_000)
    expect([counts, records.length]).toEqual([[], 21])
    write()
    await closed
    expect(counts).toEqual([22])
  })

  it('that succeeded are counted as done, not as refused', async () => {
    const { bounded, note, records } = watched()
    note('look', 11, false)
    await bounded.close()
    expect(records.at(-1)).toMatchObject({ kind: 'outcome', outcome: 'ok', decision: 'allowed' })
  })

  it('go to the log passed with them, or to none', async () => {
    const { at, bounded, note, records } = watched()
    at.isOn = false
    note('knock', 11)
    const other: AuditRecord[] = []
    const log = { append: async (record: AuditRecord) => void other.push(record) } as unknown as AuditLog
    bounded.note({ by: 'eve', act: 'leave', about: {} }, log)
    await bounded.close()
    expect(records).toEqual([])
    expect(other.map(({ kind }) => kind)).toEqual(['intent', 'outcome'])
  })

  it('that the log rejects are reported, and later ones are recorded', async () => {
    const { at, bounded, troubles, intents } = watched()
    at.fails = true
    const act = { by: 'eve', act: 'knock', about: {} }
    expect(await bounded.note(act)).toBe(false)
    at.fails = false
    expect(await bounded.note(act)).toBe(true)
    await bounded.close()
    expect(troubles).toEqual(['"knock" could not be recorded in the audit log: the disk is full'])
    expect(intents()).toHaveLength(1)
  })
})
