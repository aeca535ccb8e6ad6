// Serves the fixtures: `node dist/server.js --port 3000`, or `--stdio`. With a port, prints the address to stdout when it is ready.
import { parseArgs } from 'node:util'
import { listen } from 'toolwire/node'
import { serveStdio } from 'toolwire/stdio'
import { fixtures } from './fixtures/app.js'

const { values } = parseArgs({
  options: { port: { type: 'string', default: '3000' }, stdio: { type: 'boolean', default: false } },
})

if (values.stdio) {
  await serveStdio(fixtures())
} else {
  await listen(fixtures(), { port: Number(values.port), host: 'localhost', legacySse: true })
  process.stdout.write(`http://localhost:${values.port}/mcp\n`)
}
