// The gateway with default settings, in front of one untrusted server. Environment: the port of that server (UPSTREAM), settings of the
// guard (GUARD), and whether all calls wait for approval (ASK).
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig, startGateway } from '@toolwire/gateway'

const folder = await mkdtemp(join(tmpdir(), 'toolwire-promises-'))
const rules = Array.from({ length: 12 }, (_, at) => ({
  name: `denied ${at}`,
  when: { arguments: { text: { pattern: `(a|b|${at})+(x|y)${at}$` }, value: { contains: { const: `z${at}` } } } },
  decision: 'deny',
}))
const elsewhere = { name: 'elsewhere', when: { arguments: { path: { under: '/srv/secret' } } }, decision: 'deny' }
const config = {
  mcpServers: { up: { url: `http://127.0.0.1:${process.env.UPSTREAM}/mcp` } },
  toolwire: {
    port: 0,
    dataDir: join(folder, 'data'),
    servers: { up: { trusted: true, prefix: false } },
    guard: { rate: { calls: 100_000_000, per: 'minute' }, lists: false, ...JSON.parse(process.env.GUARD ?? '{}') },
    policy: './policy.json',
  },
}
await writeFile(
  join(folder, 'policy.json'),
  JSON.stringify({ default: process.env.ASK ? 'ask' : 'allow', rules: [elsewhere, ...rules] }),
)
await writeFile(join(folder, 'mcp.json'), JSON.stringify(config))
const gateway = await startGateway(await loadConfig({ path: join(folder, 'mcp.json'), env: {}, cwd: folder }), { env: {} })
const [token = ''] = (await readFile(join(folder, 'data', 'management.token'), 'utf8')).split('\n')
process.send?.({ port: gateway.port, token })
