// A program: a server made with the library, with faulty handlers. node library.mjs stdio|http
import { jsonSchema, reply, server, tool } from 'toolwire'
import { listen } from 'toolwire/node'
import { serveStdio } from 'toolwire/stdio'

function deep(levels) {
  let value = {}
  for (let level = 0; level < levels; level++) value = { value }
  return value
}
function cycle() {
  const value = {}
  value.self = value
  return value
}
const thrown = (value) => () => {
  throw value
}
function block(ms) {
  const end = performance.now() + ms
  while (performance.now() < end);
}

const careless = {
  throws_null: thrown(null),
  throws_undefined: thrown(undefined),
  throws_text: thrown('no'),
  throws_error: thrown(new Error('password=hunter2 at /srv/app.js')),
  rejects_null: () => Promise.reject(null),
  never_settles: () => new Promise(() => undefined),
  returns_bigint: () => 10n,
  returns_cycle: () => reply.structured(cycle()),
  returns_undefined: () => undefined,
  returns_deep: () => reply.structured(deep(1_000_000)),
  drops_rejection: () => {
    void Promise.reject(new Error('dropped'))
    return 'done'
  },
}

const echo = tool({ description: 'Says it again', hints: { readOnly: true }, run: () => 'still here' })
const blocks = tool({
  description: 'Keeps everybody waiting',
  input: jsonSchema({ type: 'object', properties: { ms: { type: 'number' } } }),
  run: ({ ms }) => {
    block(ms)
    return 'blocked'
  },
})
const tools = Object.fromEntries(Object.entries(careless).map(([name, run]) => [name, tool({ description: name, run })]))
const app = server({
  name: 'careless',
  version: '1.0.0',
  tools: { ...tools, echo, blocks },
  timeout: { idleMs: 1_500, totalMs: 60_000 },
})

if (process.argv[2] === 'stdio') await serveStdio(app)
else {
  const { url } = await listen(app)
  process.on('disconnect', () => process.exit())
  process.send({ url })
}
