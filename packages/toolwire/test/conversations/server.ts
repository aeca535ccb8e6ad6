// The server of every conversation, with every kind of feature that a server can offer.
import {
  ask,
  jsonSchema,
  prompt,
  reply,
  resource,
  type Server,
  type ServerOptions,
  server,
  ToolError,
  template,
  tool,
} from 'toolwire'
import { z } from 'zod'

const icons = [{ src: 'https://example.com/icon.png', mimeType: 'image/png', sizes: ['48x48'] }]
const about = { annotations: { audience: ['user'], priority: 0.5, lastModified: '2026-01-31T12:00:00Z' } } as const
const dot = 'iVBORw0KGgo='

const sum = tool({
  title: 'Adding up',
  description: 'Adds two numbers',
  icons,
  hints: { readOnly: true, idempotent: true, openWorld: false },
  _meta: { 'com.example/unit': 'none' },
  input: z.object({ a: z.number(), b: z.number() }),
  output: z.object({ total: z.number() }),
  run: ({ a, b }) => ({ total: a + b }),
})

const list = tool({ description: 'Gives an array', output: z.array(z.number()), run: () => [1, 2, 3] })

const find = tool({
  description: 'Finds a note by its name or by its number',
  input: jsonSchema<{ name: string } | { number: number }>({
    type: 'object',
    oneOf: [
      { properties: { name: { type: 'string' }, exact: { type: 'boolean' } }, required: ['name', 'exact'] },
      { properties: { number: { type: 'integer' }, exact: { type: 'boolean' } }, required: ['number', 'exact'] },
    ],
  }),
  run: (by) => `found ${JSON.stringify(by)}`,
})

const show = tool({
  input: z.object({ what: z.enum(['text', 'image', 'audio', 'link', 'resource', 'nothing', 'several']) }),
  run: ({ what }) => shown[what],
})

const note = { uri: 'notes://readme', mimeType: 'text/plain', text: 'Read me', _meta: { 'com.example/shelf': 3 } }
const shown = {
  text: reply.text('hello', { ...about, _meta: { 'com.example/voice': 'low' } }),
  image: reply.image(dot, 'image/png', about),
  audio: reply.audio('UklGRg==', 'audio/wav', about),
  link: reply.link({ uri: 'notes://readme', name: 'readme', title: 'Read me', mimeType: 'text/plain', size: 7, icons }),
  resource: reply.resource(note, about),
  nothing: reply.content(),
  several: reply.content(reply.text('one'), reply.image(dot, 'image/png')).withMeta({ 'com.example/took': 2 }),
}

const fail = tool({
  hints: { destructive: true },
  input: z.object({ how: z.enum(['told', 'thrown', 'replied']) }),
  run: ({ how }) => {
    if (how === 'told') throw new ToolError('The shelf is empty')
    if (how === 'thrown') throw new TypeError('secret: /etc/shelf')
    return reply.error('Nothing on that shelf')
  },
})

const work = tool({
  run: (_, ctx) => {
    ctx.progress(1, 4, 'a quarter')
    ctx.progress(1, 4, 'no further')
    ctx.progress(2.5)
    return 'worked'
  },
})

const chat = tool({
  run: (_, ctx) => {
    ctx.log.debug('looking')
    ctx.log('warning', { found: 0 }, 'shelf')
    return 'said'
  },
})

const wait = tool({
  run: (_, { signal }) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
})

const brew = tool({ description: 'Takes its time', longRunning: 'optional', run: () => 'brewed' })

const colour = z.object({ colour: z.enum(['red', 'blue']).default('red'), sure: z.boolean().optional() })
const paint = tool({
  asks: { colour: ask('Which colour?', colour) },
  run: (_, { answers }) => `painted ${answers.colour.colour}`,
})

const prompts = {
  greet: prompt({
    title: 'A greeting',
    description: 'Greets someone',
    icons,
    args: {
      name: { title: 'Name', description: 'Whom to greet', required: true, complete: () => ['Ada', 'Alan'] },
      tone: { description: 'How to sound' },
    },
    run: ({ name, tone }) => `Greet ${name}${tone ? ` and sound ${tone}` : ''}`,
  }),
  both: prompt({
    _meta: { 'com.example/order': 2 },
    run: () => [
      { role: 'user', content: { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' } },
      { role: 'assistant', content: { type: 'text', text: 'I hear you', ...about } },
    ],
  }),
  plain: prompt({ run: () => 'Hello' }),
}

const resources = {
  readme: resource({
    uri: 'notes://readme',
    title: 'Read me',
    description: 'What to know first',
    mimeType: 'text/plain',
    size: 7,
    icons,
    ...about,
    read: () => note,
  }),
  bytes: resource({ uri: 'notes://bytes', mimeType: 'application/octet-stream', read: () => new Uint8Array([1, 2, 3]) }),
  page: template({
    uriTemplate: 'notes://pages/{number}',
    title: 'A page',
    icons,
    _meta: { 'com.example/bound': true },
    complete: { number: (prefix) => ['1', '12', '2'].filter((one) => one.startsWith(prefix)) },
    read: ({ number }) => (Number(number) < 100 ? `page ${number}` : undefined),
  }),
}

/** A new server for each conversation, because some conversations add and remove tools. */
export function exampleServer(options: Partial<ServerOptions<Record<never, never>>>): Server {
  const app: Server = server({
    name: 'notes',
    version: '1.2.3',
    title: 'Notes',
    description: 'Keeps notes',
    websiteUrl: 'https://example.com',
    icons,
    instructions: 'Find before you paint.',
    logging: true,
    cache: { ttlMs: 60_000, scope: 'public' },
    ...options,
    tools: { sum, list, find, show, fail, work, chat, wait, brew, paint, grow: grow(() => app), touch: touch(() => app) },
    resources,
    prompts,
  })
  return app
}

const grow = (app: () => Server) =>
  tool({
    run: () => {
      app().tools.add('late', tool({ run: () => 'better late' }))
      return 'grown'
    },
  })

const touch = (app: () => Server) =>
  tool({
    run: () => {
      app().resources.updated('notes://readme')
      return 'touched'
    },
  })
