// The server under test, on the public API.
// usage: node server.js http PORT | node server.js stdio      (TOOLS=N adds N filler tools, STREAMS=1 adds `touch`, GUARD: see guards.ts)
import { jsonSchema, server, tool } from 'toolwire'
import { fillerCount, fillerDescription, fillerNames, fillerSchema } from './filler.js'
import { guardOf } from './guards.js'

const echo = tool({
  description: 'Returns the text it was given',
  input: jsonSchema<{ text: string }>({ type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }),
  run: ({ text }) => text,
})

const add = tool({
  description: 'Adds two numbers',
  input: jsonSchema<{ a: number; b: number }>({
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  }),
  output: jsonSchema<{ sum: number }>({ type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] }),
  run: ({ a, b }) => ({ sum: a + b }),
})

const big = tool({
  description: 'Returns a text of so many bytes',
  input: jsonSchema<{ bytes: number }>({
    type: 'object',
    properties: { bytes: { type: 'integer', minimum: 0 } },
    required: ['bytes'],
  }),
  run: ({ bytes }) => 'x'.repeat(bytes),
})

const filler = tool({
  description: fillerDescription,
  input: jsonSchema<{ query: string; limit?: number }>(fillerSchema),
  run: ({ query }) => query,
})

const touch = tool({
  description: 'Adds a tool, or takes it away again, so that the list of tools changes',
  input: jsonSchema<Record<string, never>>({ type: 'object' }),
  run: () => toggle(),
})

let extra = false
function toggle(): string {
  extra = !extra
  if (extra) app.tools.add('extra', filler)
  else app.tools.remove('extra')
  return 'touched'
}

const fillers = Object.fromEntries(fillerNames(fillerCount()).map((name) => [name, filler]))
const app = server({
  name: 'bench',
  version: '1.0.0',
  tools: { echo, add, big, ...fillers, ...(process.env.STREAMS ? { touch } : {}) },
  ...(await guardOf(process.env.GUARD)),
})

// Imported by mode, so that a stdio server does not load node:http before its first answer.
if (process.argv[2] === 'http') {
  const { listen } = await import('toolwire/node')
  const { port } = await listen(app, { port: Number(process.argv[3] ?? 0) })
  process.stderr.write(`READY ${port}\n`)
} else {
  const { serveStdio } = await import('toolwire/stdio')
  await serveStdio(app)
}
