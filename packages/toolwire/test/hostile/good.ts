// A child process with a well-behaved server, over HTTP or on its standard streams.
import { jsonSchema, server, tool } from 'toolwire'
import { listen } from 'toolwire/node'
import { serveStdio } from 'toolwire/stdio'

const double = tool({
  description: 'Doubles a number',
  hints: { readOnly: true },
  input: jsonSchema<{ n: number }>({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }),
  output: jsonSchema<{ twice: number }>({ type: 'object', properties: { twice: { type: 'number' } }, required: ['twice'] }),
  run: ({ n }) => ({ twice: 2 * n }),
})
const app = server({ name: 'good', version: '1.0.0', tools: { double } })

if (process.argv[2] === 'stdio') await serveStdio(app)
else {
  const { url } = await listen(app)
  process.on('disconnect', () => process.exit())
  process.send?.(url)
}
