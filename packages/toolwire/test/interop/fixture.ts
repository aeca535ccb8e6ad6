// The server that all clients are tested with. It has one of every feature.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ask,
  prompt,
  reply,
  resource,
  type Server,
  type ServerOptions,
  server,
  type Tool,
  ToolError,
  template,
  tool,
} from 'toolwire'
import { z } from 'zod'

/** The smallest possible PNG, and the header of a WAV file. */
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
export const wav = 'UklGRiQAAABXQVZF'
export const notes = 'notes://today'

export type FixtureOptions = Pick<ServerOptions<never>, 'pageSize' | 'profile' | 'revisions'> & {
  /** The tools to serve; all by default. */
  only?: readonly string[]
}

/** Creates a new server, so that changes in one conversation do not affect others. */
export function fixture({ only, ...options }: FixtureOptions = {}): Server {
  const tools: ToolSet = { ...speaking, ...asking, ...running(), ...changing(() => app) }
  const app: Server = server({
    name: 'fixture',
    version: '1.2.3',
    title: 'Fixture',
    instructions: 'Call echo first.',
    logging: true,
    tools: Object.fromEntries(Object.entries(tools).filter(([name]) => !only || only.includes(name))),
    resources: { today, logo, day },
    prompts: { greet, plain },
    ...options,
  })
  return app
}

type ToolSet = Record<string, Tool>

/** Tools that change the offered tools and resources, so that clients receive notifications. */
const changing = (app: () => Server) => ({
  grow: tool({
    description: 'Adds a tool',
    run: () => {
      app().tools.add('grown', tool({ description: 'Was not always there', run: () => 'grown' }))
      return 'grew'
    },
  }),
  touch: tool({
    description: "Says that today's note has changed",
    run: () => {
      app().resources.updated(notes)
      return 'touched'
    },
  }),
})

const speaking = {
  echo: tool({
    title: 'Echo',
    description: 'Says it again',
    hints: { readOnly: true },
    input: z.object({ text: z.string() }),
    run: ({ text }) => text,
  }),
  add: tool({
    description: 'Adds two numbers',
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.object({ sum: z.number() }),
    run: ({ a, b }) => ({ sum: a + b }),
  }),
  picture: tool({ description: 'Shows a picture', run: () => reply.image(png, 'image/png') }),
  sound: tool({ description: 'Plays a sound', run: () => reply.audio(wav, 'audio/wav') }),
  link: tool({ description: 'Points to a note', run: () => reply.link({ uri: notes, name: 'today', mimeType: 'text/plain' }) }),
  note: tool({
    description: 'Hands over a note',
    run: () => reply.resource({ uri: notes, text: 'buy milk', mimeType: 'text/plain' }),
  }),
  fail: tool({
    description: 'Fails and says why',
    run: () => {
      throw new ToolError('The shop is closed')
    },
  }),
  crash: tool({
    description: 'Fails by accident',
    run: () => {
      throw new Error('the password is hunter2')
    },
  }),
  log: tool({
    description: 'Logs twice',
    run: (_, ctx) => {
      ctx.log.debug('too quiet')
      ctx.log.warning({ stock: 0 }, 'shop')
      return 'logged'
    },
  }),
}

const asking = {
  ask: tool({
    description: 'Asks who you are',
    run: async (_, ctx) => `Hello ${(await ctx.ask('name', 'Your name?', z.object({ name: z.string() }))).name}`,
  }),
  confirm: tool({
    description: 'Asks before it starts',
    asks: { sure: ask('Are you sure?', z.object({ yes: z.boolean() })) },
    run: (_, { answers }) => (answers.sure.yes ? 'done' : 'not done'),
  }),
  visit: tool({
    description: 'Sends you to a page',
    run: async (_, ctx) => String(await ctx.ask.url('login', 'Please log in', 'https://example.com/login')),
  }),
  model: tool({
    description: 'Asks your model',
    run: async (_, ctx) => {
      const messages = [{ role: 'user' as const, content: { type: 'text', text: 'Capital of France?' } }]
      return JSON.stringify((await ctx.ask.model('capital', { messages, maxTokens: 10 })).content)
    },
  }),
  roots: tool({
    description: 'Asks for your folders',
    run: async (_, ctx) => (await ctx.ask.roots('roots')).map(({ uri }) => uri).join(),
  }),
}

/** Slow tools. `cancellations` returns how many `stuck` calls were cancelled, and `go` lets a `paced` call continue. */
function running() {
  let cancelled = 0
  let resume = () => {}
  return {
    paced: tool({
      description: 'Goes on after each step when it is told to',
      input: z.object({ steps: z.number().int() }),
      run: async ({ steps }, ctx) => {
        for (let step = 1; step <= steps; step++) {
          const resumed = new Promise<void>((resolve) => {
            resume = resolve
          })
          ctx.progress(step, steps, `step ${step}`)
          await resumed
        }
        return 'done'
      },
    }),
    go: tool({
      description: 'Lets a paced call go on',
      run: () => {
        resume()
        return 'gone on'
      },
    }),
    slow: tool({
      description: 'Takes its time',
      input: z.object({ steps: z.number().int(), ms: z.number() }),
      run: async ({ steps, ms }, ctx) => {
        for (let step = 1; step <= steps; step++) {
          await sleep(ms, undefined, { signal: ctx.signal })
          ctx.progress(step, steps, `step ${step}`)
        }
        // The SDKs lose a progress report that arrives in the same chunk as the result.
        await sleep(500, undefined, { signal: ctx.signal })
        return 'done'
      },
    }),
    stuck: tool({
      description: 'Gets going and no further',
      run: async (_, ctx) => {
        ctx.signal.addEventListener('abort', () => cancelled++)
        ctx.progress(1)
        await sleep(10_000, undefined, { signal: ctx.signal })
        return 'free'
      },
    }),
    cancellations: tool({ description: 'Counts the stuck calls that were called off', run: () => String(cancelled) }),
    interrupted: tool({
      description: 'Hangs up and goes on',
      run: async (_, ctx) => {
        ctx.hangUp(20)
        await sleep(60)
        return 'after the break'
      },
    }),
  }
}

const today = resource({ uri: notes, title: 'Today', mimeType: 'text/plain', read: () => 'buy milk' })
const logo = resource({ uri: 'file:///logo.png', mimeType: 'image/png', read: () => Buffer.from(png, 'base64') })
const day = template({
  uriTemplate: 'notes://{year}/{day}',
  mimeType: 'text/plain',
  complete: { year: (prefix) => ['2024', '2025', '1999'].filter((year) => year.startsWith(prefix)) },
  read: ({ year, day }) => (Number(year) < 2000 ? undefined : `day ${day} of ${year}`),
})

const greet = prompt({
  description: 'Greets somebody',
  args: {
    name: { required: true, complete: (prefix: string) => ['Ada', 'Alan', 'Grace'].filter((name) => name.startsWith(prefix)) },
    tone: {},
  },
  run: ({ name, tone = 'warm' }) => [{ role: 'user', content: { type: 'text', text: `Greet ${name} in a ${tone} voice` } }],
})
const plain = prompt({ run: () => 'Say something' })
