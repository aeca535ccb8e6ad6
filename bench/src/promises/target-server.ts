// A server with every feature that a caller can use, and with careless patterns and rules. With ASK, all calls wait for approval. With
// LINES, it takes a message per line from a socket, as from a pipe.
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { jsonSchema, prompt, resource, server, template, tool } from 'toolwire'
import { listen } from 'toolwire/node'
import { wire } from 'toolwire/relay'
import { rules } from 'toolwire/rules'

type Anything = { readonly [name: string]: unknown }

const take = (description: string, properties: object) =>
  tool({ description, input: jsonSchema<Anything>({ type: 'object', properties } as never), run: () => 'taken' })

const recursive = { anyOf: [{ type: 'string' }, { type: 'array', items: { $ref: '#/properties/value' } }, { type: 'object' }] }

const tools = {
  echo: tool({
    description: 'Gives back what it was given',
    input: jsonSchema<Anything>({ type: 'object' }),
    run: (given) => JSON.stringify(given),
  }),
  structured: tool({
    description: 'Gives back what it was given, as it is',
    input: jsonSchema<Anything>({ type: 'object' }),
    output: jsonSchema<Anything>({ type: 'object' }),
    run: (given) => given,
  }),
  big: tool({ description: 'Says much', input: jsonSchema<Anything>({ type: 'object' }), run: () => 'x'.repeat(1_000_000) }),
  patterned: take('Takes a name of a host', {
    text: { type: 'string', pattern: '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,}$' },
    other: { type: 'string', pattern: '(a+)+$' },
    list: { type: 'array', items: { type: 'string', pattern: '^(a|aa)+$' } },
  }),
  unique: take('Takes what is unique', { value: { type: 'array', uniqueItems: true } }),
  recursive: take('Takes what contains itself', { value: recursive }),
  either: take('Takes one of many', { value: { oneOf: Array.from({ length: 20 }, (_, at) => ({ enum: [at, { at }, [at]] })) } }),
  items: take('Takes objects', {
    value: {
      type: 'array',
      items: { type: 'object', properties: { a: { type: 'integer', maximum: 5 } }, additionalProperties: false },
    },
  }),
}

const complete = () => Array.from({ length: 1_000 }, (_, at) => `value ${at}`)

const app = server({
  name: 'victim',
  version: '1.0.0',
  tools,
  prompts: {
    about: prompt({
      args: { what: { complete }, more: {} },
      run: ({ what = '', more = '' }) => `${what} ${more}`,
    } as never),
  },
  resources: {
    fixed: resource({ uri: 'memo://fixed', read: () => 'fixed' }),
    ...Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [
        `template${at}`,
        template({
          uriTemplate: `memo://{a}/{b}-${at % 10}-{c}/{d}{?e,f}`,
          complete: { a: complete },
          read: () => 'read',
        } as never),
      ]),
    ),
  },
  guard: {
    rateLimit: { tool: { calls: 100_000_000, per: 'minute' } },
    ...(process.env.ASK && { approve: { ask: () => 'deny' as const } }),
    rules: rules({
      default: 'allow',
      rules: [
        { name: 'elsewhere', when: { arguments: { path: { under: '/srv/secret' } } }, decision: 'deny' as const },
        ...Array.from({ length: 12 }, (_, at) => ({
          name: `denied ${at}`,
          when: { arguments: { text: { pattern: `(a|b|${at})+(x|y)${at}$` }, value: { contains: { const: `z${at}` } } } },
          decision: 'deny' as const,
        })),
      ],
    }),
  },
  limits: { lists: false },
})

async function listenForLines(): Promise<{ port: number }> {
  const lines = createServer((socket) => void wire.serveLines(app, { readable: socket, writable: socket })).listen(0, '127.0.0.1')
  await once(lines, 'listening')
  return lines.address() as AddressInfo
}

const { port } = process.env.LINES ? await listenForLines() : await listen(app, { port: 0 })
process.send?.({ port })
