// The checks of a cell. A check that a revision does not support returns the name of the gap.
import { expect } from 'vitest'
import { words } from '../support/upstream-fixture.js'
import { type Cell, call, exposed, rawCall, until } from './cell.js'
import { errors } from './errors.js'
import { type GapName, gapIn } from './gaps.js'
import { nobody } from './person.js'
import { idOf } from './revisions.js'

type Check = (cell: Cell) => Promise<GapName | undefined>

export const checks = {
  list: async (cell) => {
    const { tools, nextCursor } = (await cell.client.request('tools/list')) as unknown as Page
    const own = tools.filter(({ name }) => name.startsWith(exposed(cell, '')))
    expect(own.map(({ name }) => name)).toEqual(expect.arrayContaining([exposed(cell, 'greet'), exposed(cell, 'sum')]))
    const { fields, taskSupport, lastCursor } = cell.caller.revision
    const known = [...fields.tool, ...(taskSupport === 'in-execution' ? ['execution'] : [])]
    expect(own.flatMap((tool) => Object.keys(tool)).filter((key) => !known.includes(key))).toEqual([])
    expect(nextCursor).toBe(lastCursor)
    return undefined
  },

  call: async (cell) => {
    const { content, structuredContent, isError } = await rawCall(cell, 'greet', { name: 'Ada' })
    expect({ content, isError }).toEqual({ content: [{ type: 'text', text: 'Hello Ada' }], isError: false })
    expect(structuredContent).toEqual(cell.caller.pocket ? {} : undefined)
    return undefined
  },

  structured: async (cell) => {
    const gap = gapIn('structured', cell)
    const { content, structuredContent } = await rawCall(cell, 'sum', { a: 1, b: 2 })
    expect(content).toMatchObject([{ type: 'text', text: '{"sum":3}' }])
    if (!gap) expect(structuredContent).toEqual({ sum: 3 })
    else expect(structuredContent).toEqual(cell.caller.pocket ? {} : undefined)
    return gap
  },

  progress: async (cell) => {
    const gap = gapIn('words', cell)
    const received: unknown[] = []
    await call(cell, 'steps', {}, { onProgress: (progress) => received.push(progress) })
    const progressAt = (step: number) => ({ progress: step, total: 3, ...(!gap && { message: `step ${step}` }) })
    // Fast progress may be reduced to the newest value, but the first and the last value always arrive.
    expect([received[0], received.at(-1)]).toEqual([progressAt(1), progressAt(3)])
    expect([progressAt(1), progressAt(2), progressAt(3)]).toEqual(expect.arrayContaining(received))
    return gap
  },

  cancel: async (cell) => {
    const stop = new AbortController()
    const begun = { signal: stop.signal, onProgress: () => stop.abort() }
    await expect(call(cell, 'wait', { name: cell.mark }, begun)).rejects.toMatchObject({ code: 'cancelled' })
    await until(async () => words(await call(cell, 'givenUp', { name: cell.mark })) === 'true')
    return undefined
  },

  question: async (cell) => {
    const gap = gapIn('forms', cell)
    const before = await booked(cell)
    expect(await book(cell, 'Ada')).toMatch(gap ? /^failed: .*elicitation/ : /^booked for 4$/)
    expect(await book(cell, nobody)).toMatch(gap ? /^failed: .*elicitation/ : /^failed: .*declined/)
    expect((await booked(cell)) - before).toBe(gap ? 0 : 1)
    expect(cell.asked.filter((message) => message.includes(`\n> ${idOf(cell.server)}:`))).toHaveLength(gap ? 0 : 2)
    return gap
  },

  task: async (cell) => {
    const gap = gapIn('tasks', cell)
    const taskIds: string[] = []
    const result = await call(cell, 'errand', {}, { asTask: true, onTask: (taskId) => taskIds.push(taskId) })
    expect(words(result)).toBe('run')
    expect(taskIds).toHaveLength(gap ? 0 : 1)
    return gap
  },

  list_changed: async (cell) => {
    const name = exposed(cell, cell.mark)
    const isListed = async () => (await cell.client.listTools()).some((tool) => tool.name === name)
    let changes = 0
    const stop = cell.client.onChange(({ kind }) => kind === 'tools' && changes++)
    await isListed() // the client needs a cached list, which the change makes stale
    for (const [how, listed] of [
      ['grow', true],
      ['shrink', false],
    ] as const) {
      const before = changes
      await call(cell, how, { name: cell.mark })
      await until(async () => changes > before && (await isListed()) === listed)
    }
    stop()
    return undefined
  },

  errors: async (cell) => {
    for (const check of errors) await check(cell)
    return undefined
  },
} as const satisfies { readonly [name: string]: Check }

export type CheckName = keyof typeof checks

async function book(cell: Cell, name: string): Promise<string> {
  const result = await call(cell, 'book', { name }).catch((thrown) => ({
    isError: true,
    content: [{ type: 'text', text: String(thrown) }],
  }))
  return `${result.isError ? 'failed: ' : ''}${words(result)}`
}

const booked = async (cell: Cell): Promise<number> => Number(words(await call(cell, 'booked')))

type Page = { readonly tools: readonly { readonly name: string }[]; readonly nextCursor?: string }
