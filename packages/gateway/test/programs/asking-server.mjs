// A server with tools that are hard to relay: node asking-server.mjs <revision>
import { server, tool } from 'toolwire'
import { boolean, integer, number, object, string } from './schemas.mjs'

const pause = (ms, signal) =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop)
  })

/** Counts how often each tool has completed or was cancelled. */
export function askingApp(revision, done = {}) {
  const count = (name) => {
    done[name] = (done[name] ?? 0) + 1
  }
  return server({
    name: 'asking',
    version: '1.0.0',
    logging: true,
    ...(revision && { revisions: [revision] }),
    tools: {
      book: tool({
        description: 'Books a table, once it knows for how many',
        input: object({ at: string }),
        run: async ({ at }, ctx) => {
          await ctx.once('begin', () => count('begun'))
          const { people } = await ctx.ask('people', 'For how many?', object({ people: { ...integer, minimum: 1 } }))
          count('booked')
          return `booked at ${at} for ${people}`
        },
      }),
      twice: tool({
        description: 'Asks two questions, one after the other',
        run: async (_, ctx) => {
          const { color } = await ctx.ask('color', 'Which color?', object({ color: { ...string, enum: ['red', 'blue'] } }))
          const { size } = await ctx.ask('size', 'Which size?', object({ size: number }))
          count('chosen')
          return `${color} in ${size}`
        },
      }),
      hasty: tool({
        description: 'Asks, and does not wait for the answer',
        run: async (_, ctx) => {
          ctx.ask('late', 'Too late?', object({ yes: boolean })).catch(() => undefined)
          await pause(100, ctx.signal)
          return 'did not wait'
        },
      }),
      visit: tool({
        description: 'Sends the person to a page',
        run: async (_, ctx) => {
          await ctx.ask.url('page', 'Please sign in', 'https://example.com/sign-in')
          return 'visited'
        },
      }),
      think: tool({
        description: 'Asks the model',
        run: async (_, ctx) => {
          const { content } = await ctx.ask.model('thought', {
            messages: [{ role: 'user', content: { type: 'text', text: 'What is six times seven?' } }],
            maxTokens: 10,
          })
          return `thought: ${content.text}`
        },
      }),
      where: tool({
        description: 'Asks for the folders',
        run: async (_, ctx) => (await ctx.ask.roots('roots')).map(({ uri }) => uri).join(' '),
      }),
      steps: tool({
        description: 'Takes a few steps and says so',
        input: object({ steps: integer }),
        run: async ({ steps }, ctx) => {
          for (let step = 1; step <= steps; step++) {
            ctx.progress(step, steps, `step ${step}`)
            ctx.log.info({ step })
            await pause(20, ctx.signal)
          }
          return 'arrived'
        },
      }),
      wait: tool({
        description: 'Waits until it is cancelled',
        run: async (_, ctx) => {
          count('waits')
          await pause(60_000, ctx.signal).catch((thrown) => {
            count('cancelled')
            throw thrown
          })
          return 'waited in vain'
        },
      }),
      pid: tool({ description: 'Which process it is', run: () => String(process.pid) }),
      counts: tool({ description: 'What has been done', run: () => JSON.stringify(done) }),
      sum: tool({
        description: 'Adds',
        hints: { readOnly: true },
        input: object({ a: number, b: number }),
        output: object({ sum: number }),
        run: ({ a, b }) => ({ sum: a + b }),
      }),
    },
  })
}
