// The gateway in front of one upstream, or of several copies of it, started as by its program.
// usage: node gateway.js http PORT      (UPSTREAM: a port, or `stdio`; UPSTREAMS: number of copies;
// GUARD: `full`, `open` (without rules) or `none`; STORE: the URL of a PostgreSQL database)
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { loadConfig, startGateway } from '@toolwire/gateway'

const folder = await mkdtemp(join(tmpdir(), 'toolwire-bench-'))
const controlStdio = fileURLToPath(new URL('./control-stdio.js', import.meta.url))
const up =
  process.env.UPSTREAM === 'stdio'
    ? { command: process.execPath, args: [controlStdio, 'stdio'] }
    : { url: `http://127.0.0.1:${process.env.UPSTREAM}/mcp` }

const none = { rate: false, lists: false, sanitize: false, pins: false, approvals: false, audit: false }
const full = { rate: { calls: 100_000_000, per: 'minute' }, lists: false }
const rules = Array.from({ length: 10 }, (_, at) => ({ name: `rule ${at}`, when: { tool: `other_${at}_*` }, decision: 'deny' }))
const policy = { default: 'deny', rules: [...rules, { name: 'adding', when: { tool: 'add' }, decision: 'allow' }] }

const names = Array.from({ length: Number(process.env.UPSTREAMS ?? 1) }, (_, at) => `up${at}`)
const isFull = process.env.GUARD === 'full'
const config = {
  mcpServers: Object.fromEntries(names.map((name) => [name, up])),
  toolwire: {
    port: Number(process.argv[3] ?? 0),
    dataDir: join(folder, 'data'),
    servers: Object.fromEntries(names.map((name) => [name, { trusted: true, ...(names.length === 1 && { prefix: false }) }])),
    guard: process.env.GUARD === 'none' ? none : full,
    ...(isFull && { policy: './policy.json' }),
    ...(process.env.STORE && { store: process.env.STORE }),
  },
}
await writeFile(join(folder, 'policy.json'), JSON.stringify(policy))
await writeFile(join(folder, 'mcp.json'), JSON.stringify(config))
const gateway = await startGateway(await loadConfig({ path: join(folder, 'mcp.json'), env: {}, cwd: folder }), { env: {} })
process.stderr.write(`READY ${gateway.port}\n`)
