// A server with long-running tools.
import { RpcError, server, ToolError, tool } from 'toolwire'
import { number, object, string } from './schemas.mjs'

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const description = 'Takes long'
const longRunning = 'optional'
const place = object({ place: string })

/** `done` counts started and cancelled calls. */
export function taskApp(revision) {
  const done = {}
  const count = (name) => {
    done[name] = (done[name] ?? 0) + 1
  }
  const waiting = (_, ctx) =>
    new Promise((_resolve, reject) => {
      count('begun')
      ctx.signal.addEventListener('abort', () => {
        count('cancelled')
        reject(ctx.signal.reason)
      })
    })

  return server({
    name: 'tasks',
    version: '1.0.0',
    ...(revision && { revisions: [revision] }),
    tools: {
      walk: tool({
        description,
        longRunning: 'required',
        run: async (_, ctx) => {
          count('walked')
          const answer = await ctx.ask('place', 'Where to?', place)
          for (let step = 1; step <= 3; step++) {
            await pause(30)
            ctx.progress(step, 3)
          }
          return `arrived at ${answer.place}`
        },
      }),
      add: tool({
        description,
        longRunning,
        input: object({ a: number }),
        output: object({ sum: number }),
        run: ({ a }) => ({ sum: a + 1 }),
      }),
      wait: tool({ description, longRunning, run: waiting }),
      fail: tool({ description, longRunning, run: () => Promise.reject(new ToolError('No paper')) }),
      object: tool({ description, longRunning, run: () => Promise.reject(new RpcError(4242, 'not like this')) }),
      die: tool({
        description,
        longRunning,
        run: async () => {
          setTimeout(() => process.exit(1), 100)
          await pause(60_000)
          return 'still here'
        },
      }),
      steps: tool({
        description,
        longRunning,
        run: async (_, ctx) => {
          for (const step of [1, 2, 3]) {
            ctx.progress(step, 3)
            await pause(30)
          }
          return 'arrived'
        },
      }),
      how: tool({ description, longRunning, run: (_, ctx) => (ctx.promoteToTask ? 'as a task' : 'as a call') }),
      plain: tool({ description: 'Is quick', run: () => 'plain' }),
      hold: tool({ description: 'Is slow, and no task', run: waiting }),
      counts: tool({ description: 'What was done', hints: { readOnly: true }, run: () => JSON.stringify(done) }),
    },
  })
}
