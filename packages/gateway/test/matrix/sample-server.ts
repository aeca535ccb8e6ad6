// The upstream server of every cell, with an object for each check.
import { jsonSchema, RpcError, reportTo, type Server, server, ToolError, template, tool } from 'toolwire'

// One of the tools crashes on purpose.
reportTo((id, where, fault) => where === 'tool crash' || console.error(id, where, fault))

/** A code without a meaning in any revision. */
export const ownCode = 4242
// Written by hand, because a schema library loads slowly, and many processes would load it.
type Members = { readonly [name: string]: { readonly type: 'string' | 'number' | 'integer' } }
const objectOf = <T>(properties: Members) => jsonSchema<T>({ type: 'object', properties, required: Object.keys(properties) })
const named = objectOf<{ name: string }>({ name: { type: 'string' } })
const number = { type: 'number' } as const
const described = { description: 'A tool of the sample' }

/** `place` is the URI prefix of its resources. */
export function sampleServer(revision: string, place: string): Server {
  const givenUp = new Set<string>()
  let booked = 0
  const app: Server = server({
    name: 'sample',
    version: '1.0.0',
    revisions: [revision],
    guard: { audit: false },
    tools: {
      greet: tool({ ...described, input: named, run: ({ name }) => `Hello ${name}` }),
      sum: tool({
        ...described,
        title: 'Sum',
        hints: { readOnly: true },
        input: objectOf<{ a: number; b: number }>({ a: number, b: number }),
        output: objectOf<{ sum: number }>({ sum: number }),
        run: ({ a, b }) => ({ sum: a + b }),
      }),
      steps: tool({
        ...described,
        run: (_, ctx) => {
          for (const step of [1, 2, 3]) ctx.progress(step, 3, `step ${step}`)
          return 'arrived'
        },
      }),
      wait: tool({
        ...described,
        input: named,
        run: ({ name }, { signal, progress }) =>
          new Promise<string>((_, reject) => {
            signal.addEventListener('abort', () => {
              givenUp.add(name)
              reject(signal.reason)
            })
            progress(1)
          }),
      }),
      givenUp: tool({ ...described, input: named, run: ({ name }) => String(givenUp.has(name)) }),
      book: tool({
        ...described,
        input: named,
        run: async ({ name }, { ask }) => {
          const { people } = await ask(
            'people',
            `${place}: for how many, ${name}?`,
            objectOf<{ people: number }>({ people: { type: 'integer' } }),
          )
          booked++
          return `booked for ${people}`
        },
      }),
      errand: tool({ ...described, longRunning: 'optional', run: () => 'run' }),
      booked: tool({ ...described, run: () => String(booked) }),
      grow: tool({
        ...described,
        input: named,
        run: ({ name }) => {
          app.tools.add(name, tool({ ...described, run: () => 'new' }))
          return 'grown'
        },
      }),
      shrink: tool({
        ...described,
        input: named,
        run: ({ name }) => {
          app.tools.remove(name)
          return 'shrunk'
        },
      }),
      fail: tool({
        ...described,
        run: () => {
          throw new ToolError('closed on Mondays')
        },
      }),
      crash: tool({
        ...described,
        run: () => {
          throw new Error('the password is in the cellar')
        },
      }),
      object: tool({
        ...described,
        run: () => {
          throw new RpcError(ownCode, 'not like this')
        },
      }),
    },
    resources: { day: template({ uriTemplate: `note://${place}/{day}`, read: () => undefined }) },
  })
  return app
}
