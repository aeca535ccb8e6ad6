// Serves another server's offer through the gateway under the same names: `node dist/gateway.js --port 3000 --url http://…/mcp`, or with
// the upstream's command after `--`. The program prints its address to stdout when it is ready.
import { parseArgs } from 'node:util'
import { listen } from 'toolwire/node'
import { gatewaySource } from './gateway-source.js'

const { values, positionals } = parseArgs({
  options: { port: { type: 'string', default: '3000' }, url: { type: 'string' } },
  allowPositionals: true,
})
const [command = process.execPath, ...args] = positionals

const { AggregateServer: Offer, Upstream } = await gatewaySource()
const upstream = new Upstream(
  {
    id: 'fixtures',
    disabled: false,
    lazy: false,
    trusted: true,
    prefix: false,
    tools: {},
    target: values.url ? { kind: 'http', url: values.url, headers: {} } : { kind: 'child', command, args, env: {} },
  },
  { onNote: (kind, text) => process.stderr.write(`${kind}: ${text}\n`) },
)
const offer = new Offer({
  upstreams: [upstream],
  server: { name: 'toolwire-gateway-conformance', version: '1.0.0' },
  onNote: (text) => process.stderr.write(`${text}\n`),
})
await offer.open()
if (upstream.status.state !== 'ready') throw new Error(`The upstream is not ready: ${upstream.status.why}`)
await listen(offer.server, { port: Number(values.port), host: 'localhost', legacySse: true })
process.stdout.write(`http://localhost:${values.port}/mcp\n`)
