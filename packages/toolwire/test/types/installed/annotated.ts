// A separate program that installed.test.ts compiles with `isolatedDeclarations`: every export has an explicit type.
import {
  type JsonSchema,
  jsonSchema,
  type NoInput,
  type Prompt,
  prompt,
  type Resource,
  resource,
  type Server,
  server,
  type Tool,
  tool,
} from 'toolwire'

type Query = JsonSchema<{ query: string }>
type Hits = JsonSchema<{ hits: string[] }>

export const ping: Tool<NoInput, undefined> = tool({ run: () => 'pong' })
export const search: Tool<Query, Hits> = tool({
  input: jsonSchema<{ query: string }>({ type: 'object', properties: { query: { type: 'string' } } }),
  output: jsonSchema<{ hits: string[] }>({ type: 'object', properties: { hits: { type: 'array', items: { type: 'string' } } } }),
  run: ({ query }) => ({ hits: [query] }),
})
export const greet: Prompt = prompt({ run: () => 'Hello' })
export const readme: Resource = resource({ uri: 'notes://readme', read: () => 'text' })

type Tools = { ping: Tool<NoInput, undefined>; search: Tool<Query, Hits> }
export const app: Server<Tools> = server({ name: 'shop', version: '1.0.0', tools: { ping, search }, prompts: { greet } })
export const plain: Server = server({ name: 'shop', version: '1.0.0', tools: { ping, search }, resources: { readme } })
