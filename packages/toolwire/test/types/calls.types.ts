// Checked by `tsc -p tsconfig.json` alone: typed calls take the input of the tool and return its output.
import { jsonSchema, server, tool } from 'toolwire'
import type { CallResult } from 'toolwire/client'
import type { types } from 'toolwire/relay'
import type { harness } from 'toolwire/testing'
import { z } from 'zod'
import { type Equal, is } from './equal.js'

const app = server({
  name: 'shop',
  version: '1.0.0',
  tools: {
    search: tool({
      input: z.object({ query: z.string(), limit: z.number().default(10) }),
      output: z.object({ hits: z.array(z.string()) }),
      run: ({ query }) => ({ hits: [query] }),
    }),
    recent: tool({ input: z.object({ days: z.number().optional() }), output: z.array(z.number()), run: () => [1] }),
    ping: tool({ run: () => 'pong' }),
    'two words': tool({ input: jsonSchema<{ text: string }>({ type: 'object' }), run: ({ text }) => text }),
  },
})

declare const calls: types.Calls<(typeof app)['~tools']>
declare const connected: Awaited<ReturnType<typeof harness<(typeof app)['~tools']>>>
is<Equal<typeof connected.tools, typeof calls>>()

export async function right(): Promise<void> {
  is<Equal<Awaited<ReturnType<typeof calls.search>>, { hits: string[] }>>()
  is<Equal<Awaited<ReturnType<typeof calls.recent>>, number[]>>()
  is<Equal<Awaited<ReturnType<typeof calls.ping>>, CallResult>>()
  await calls.search({ query: 'mug' })
  await calls.search({ query: 'mug', limit: 3 })
  // If every field is optional, so is the whole input.
  await calls.recent()
  await calls.recent({})
  await calls.recent({ days: 2 })
  await calls.ping()
  await calls.ping({})
  await calls['two words']({ text: 'a' })
}

export async function wrong(): Promise<void> {
  // @ts-expect-error the query is missing
  await calls.search()
  // @ts-expect-error the query is missing from the object
  await calls.search({})
  // @ts-expect-error a query is text
  await calls.search({ query: 1 })
  // @ts-expect-error a limit is a number
  await calls.search({ query: 'mug', limit: '3' })
  // @ts-expect-error unknown field
  await calls.search({ query: 'mug', order: 'asc' })
  // @ts-expect-error days are a number
  await calls.recent({ days: 'two' })
  // @ts-expect-error the tool has no input
  await calls.ping({ loud: true })
  // @ts-expect-error no tool has that name
  await calls.serch({ query: 'mug' })
  const { hits } = await calls.search({ query: 'mug' })
  // @ts-expect-error a hit is text
  hits.map((hit) => hit.toFixed())
}
