import { type Context, server, tool } from 'toolwire'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { every, since } from '../../revisions.js'
import '../../reported-faults.js'
import { judged } from '../../official-schemas.js'
import { call } from '../lines.js'

type Report = Context['progress']
const reporting = (report: (progress: Report) => void | Promise<void>, options: object = {}) =>
  server({
    name: 'shop',
    version: '1',
    tools: {
      work: tool({
        ...options,
        run: async (_, { progress }) => {
          await report(progress)
          return 'done'
        },
      }),
    },
  })

const shown = (messages: readonly { params?: unknown }[]) => messages.map(({ params }) => params as Record<string, unknown>)
const marked = 'notifications/progress'

describe.each(every)('progress at %s', (revision) => {
  it('PROG-002 PROG-010 is not sent for a call without a token', async () => {
    const t = await judged(
      reporting((progress) => progress(1)),
      { revision },
    )
    await t.call('work')
    expect(t.heard(marked)).toEqual([])
  })

  it('PROG-002 ends with the response', async () => {
    let kept: Report | undefined
    const t = await judged(
      reporting((progress) => {
        kept = progress
        progress(1)
      }),
      { revision },
    )
    await t.call('work', {}, { meta: { progressToken: 'p' } })
    kept?.(2)
    expect(shown(t.heard(marked))).toEqual([{ progressToken: 'p', progress: 1 }])
  })

  it('PROG-003 only increases, also by fractions', async () => {
    const report: Parameters<typeof reporting>[0] = (progress) => {
      for (const done of [-1, 0.5, 5, 5, 3, Number.NaN, 5.25, Number.POSITIVE_INFINITY, 6]) progress(done, 10)
    }
    const t = await judged(reporting(report), { revision })
    await t.call('work', {}, { meta: { progressToken: 'p' } })
    expect(shown(t.heard(marked)).map(({ progress, total }) => [progress, total])).toEqual([
      [-1, 10],
      [0.5, 10],
      [5, 10],
      [5.25, 10],
      [6, 10],
    ])
  })

  it('omits a total that is not a number', async () => {
    const t = await judged(
      reporting((progress) => progress(1, Number.NaN)),
      { revision },
    )
    await t.call('work', {}, { meta: { progressToken: 'p' } })
    expect(shown(t.heard(marked))).toEqual([{ progressToken: 'p', progress: 1 }])
  })

  it.each([['0'], [0], ['']])('PROG-005 returns the token %j with its type', async (progressToken) => {
    const t = await judged(
      reporting((progress) => progress(1)),
      { revision },
    )
    await t.call('work', {}, { meta: { progressToken } })
    expect(shown(t.heard(marked))).toEqual([{ progressToken, progress: 1 }])
  })

  it('PROG-005 returns an integer token beyond 2^53 exactly', async () => {
    const t = await judged(
      reporting((progress) => progress(1)),
      { revision },
    )
    const said = JSON.stringify({ ...about(revision), progressToken: 0 }).replace(
      '"progressToken":0',
      '"progressToken":9007199254740993',
    )
    t.send(`{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"work","_meta":${said}}}`)
    expect(shown([await t.hear(marked)])).toEqual([{ progressToken: 9007199254740993n, progress: 1 }])
  })

  describe('in a flood', () => {
    beforeEach(() => void vi.useFakeTimers())
    afterEach(() => void vi.useRealTimers())

    it('PROG-006 is throttled, and the last value is kept', async () => {
      const flood = async (progress: Report) => {
        for (let second = 0; second < 5; second++) {
          for (let step = 0; step < 10_000; step++) progress(second * 10_000 + step)
          await new Promise((resolve) => setTimeout(resolve, 1_000))
        }
      }
      const t = await judged(reporting(flood), { revision })
      const work = t.call('work', {}, { meta: { progressToken: 'p' } })
      await vi.advanceTimersByTimeAsync(5_000)
      await work
      const values = shown(t.heard(marked)).map(({ progress }) => progress)
      expect(values.length).toBeLessThanOrEqual(50 + 5 * 10 + 1)
      expect(values.at(-1)).toBe(49_999)
    })
  })
})

/** The metadata of a request without a handshake. */
const about = (revision: string) => (revision < '2026' ? {} : describing)

const describing = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
}

it.each(since('2025-03-26'))('PROG-004 at %s has its message', async (revision) => {
  const t = await judged(
    reporting((progress) => progress(1, 2, 'Half way')),
    { revision },
  )
  await t.call('work', {}, { meta: { progressToken: 'p' } })
  expect(shown(t.heard(marked))).toEqual([{ progressToken: 'p', progress: 1, total: 2, message: 'Half way' }])
})

it('PROG-004 at 2024-11-05 omits the message', async () => {
  const t = await judged(
    reporting((progress) => progress(1, 2, 'Half way')),
    { revision: '2024-11-05' },
  )
  await t.call('work', {}, { meta: { progressToken: 'p' } })
  expect(shown(t.heard(marked))).toEqual([{ progressToken: 'p', progress: 1, total: 2 }])
})

it('PROG-008 at 2025-11-25 continues with the same token while a task runs, and stops with it', async () => {
  let proceed!: () => void
  let kept: Report | undefined
  const report = async (progress: Report) => {
    kept = progress
    progress(1)
    await new Promise<void>((resolve) => (proceed = resolve))
    progress(2)
  }
  const t = await judged(reporting(report, { longRunning: 'optional' }), { revision: '2025-11-25' })
  const { task } = (await t.call('work', {}, { task: {}, meta: { progressToken: 'p' } })) as never as { task: { taskId: string } }
  proceed()
  await t.request('tasks/result', { taskId: task.taskId })
  kept?.(3)
  expect(shown(t.heard(marked))).toMatchObject([
    { progressToken: 'p', progress: 1 },
    { progressToken: 'p', progress: 2 },
  ])
})

it('PROG-010 at 2026-07-28 stays on the stream of its own request', async () => {
  const app = reporting(async (progress) => {
    progress(1)
    await new Promise((resolve) => setTimeout(resolve, 5))
    progress(2)
  })
  const [first, second, silent] = [
    call(app, 'work', { _meta: { progressToken: 'first' } }),
    call(app, 'work', { _meta: { progressToken: 'second' } }),
    call(app, 'work'),
  ]
  await Promise.all([first.answer, second.answer, silent.answer])
  const tokens = ({ stream }: typeof first) =>
    shown(stream.filter(({ method }) => method === marked)).map((params) => params.progressToken)
  expect([tokens(first), tokens(second), tokens(silent)]).toEqual([['first', 'first'], ['second', 'second'], []])
})
