// Lists that an upstream fails to give are read again.
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ListRetries } from '../../src/catalog/list-retries.js'
import { type CatalogKind, UpstreamCatalog } from '../../src/catalog/upstream-catalog.js'
import { answering, listsOf } from '../support/answering-server.js'
import { http, upstream } from '../support/upstream-fixture.js'

/** The catalog of a server that gives these lists of tools in turn, and at last always the last one. */
async function catalogOf(...answers: readonly object[]) {
  const asked = { times: 0 }
  const lists = {
    ...listsOf({ tools: [] }),
    get 'tools/list'() {
      return answers[Math.min(++asked.times, answers.length) - 1]!
    },
  }
  const one = upstream('one', http(await answering(lists)))
  const catalog = new UpstreamCatalog(one)
  const [notes, changes]: [string[], CatalogKind[]] = [[], []]
  catalog.follow({ note: (text) => notes.push(text), changed: (kind) => void changes.push(kind) })
  await catalog.open()
  return { catalog, one, asked, notes, changes }
}

const down = new Error('the database is down')
const tools = { tools: [{ name: 'add', inputSchema: { type: 'object' } }] }

describe('the list of an upstream that is ready', () => {
  it('is read again after it has failed, until it succeeds, with one note', async () => {
    const { catalog, one, asked, notes, changes } = await catalogOf(down, down, tools)
    expect([one.status.state, catalog.isListed('tools'), catalog.isListed('prompts')]).toEqual(['ready', false, true])
    await vi.waitFor(() => expect(catalog.tools.map(({ name }) => name)).toEqual(['add']), 60_000)
    expect([asked.times, catalog.isListed('tools')]).toEqual([3, true])
    expect(notes).toEqual([expect.stringMatching(/^one: its tools could not be listed.*the database is down/)])
    await vi.waitFor(() => expect(changes).toContain('tools'), 60_000)
  })

  it('fails with a note for each reason', async () => {
    const { catalog, notes } = await catalogOf(down, new Error('the disk is full'), tools)
    await vi.waitFor(() => expect(catalog.isListed('tools')).toBe(true), 60_000)
    expect(notes).toEqual([expect.stringContaining('the database is down'), expect.stringContaining('the disk is full')])
  })

  it('is not read again after the upstream was closed', async () => {
    const { one, asked } = await catalogOf(down)
    await one.close()
    const { times } = asked
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(asked.times).toBe(times)
  })
})

it('a list that fails is read once after each pause, which grows to two minutes, however often that is reported', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let reads = 0
  const retries = new ListRetries(() => void reads++)
  const failTwice = () => {
    retries.schedule('tools', 'down')
    retries.schedule('tools', 'down')
  }
  failTwice()
  vi.advanceTimersByTime(2_000)
  expect(reads).toBe(1)
  for (let time = 0; time < 10; time++) failTwice()
  // Pauses are random, from half of their time on.
  vi.advanceTimersByTime(59_000)
  expect([reads, vi.getTimerCount()]).toEqual([1, 1])
  vi.advanceTimersByTime(61_000)
  expect([reads, vi.getTimerCount()]).toEqual([2, 0])
  failTwice()
  retries.clear('tools')
  expect([vi.getTimerCount(), retries.reason('tools')]).toEqual([0, undefined])
})
