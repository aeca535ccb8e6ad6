// What others can cause as often as they like leaves ten records a minute of each kind, and a count of the others.
import type { AuditLog, AuditRecord } from 'toolwire/guard'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { boundedRecords } from '../../src/store/audit/bounded-records.js'

type Intent = Extract<AuditRecord, { kind: 'intent' }>

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A log that is there or not, and takes records or not. */
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
  const log = { append } as unknown as AuditLog // nothing else of it is used
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

describe('acts', () => {
  it('are recorded ten times a minute, each kind for itself, and then counted', async () => {
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

  it('are recorded again when the minute is over, and counted anew', async () => {
    const { note, intents, counts } = watched()
    note('knock', 11)
    await vi.advanceTimersByTimeAsync(60_000)
    note('knock', 12)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(counts().map(([, about]) => about)).toMatchObject([{ notRecorded: 1 }, { notRecorded: 2 }])
    expect(intents()).toHaveLength(22)
  })

  it('that were counted are written at the end, once', async () => {
    const { bounded, note, counts, intents } = watched()
    note('knock', 11)
    note('ring')
    await bounded.close()
    expect(counts()).toEqual([['toolwire/knock', { notRecorded: 1, withinMs: 60_000 }]])
    await vi.advanceTimersByTimeAsync(120_000)
    expect(intents()).toHaveLength(12)
  })

  it('are all on the disk when the end is over', async () => {
    const { at, bounded, note, records } = watched()
    let write = (): void => undefined
    at.disk = new Promise((resolve) => {
      write = resolve
    })
    note('knock', 11)
    const seen: number[] = []
    const closed = bounded.close().then(() => seen.push(records.length))
    await vi.advanceTimersByTimeAsync(1_000)
    expect([seen, records.length]).toEqual([[], 21])
    write()
    await closed
    expect(seen).toEqual([22])
  })

  it('that were done and not refused are counted as done', async () => {
    const { bounded, note, records } = watched()
    note('look', 11, false)
    await bounded.close()
    expect(records.at(-1)).toMatchObject({ kind: 'outcome', outcome: 'ok', decision: 'allowed' })
  })

  it('go to the log that is given with them, and to none where there is none', async () => {
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

  it('that the log does not take are told of, and those after them are recorded', async () => {
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
