// A gateway with a server of its own that reports the size of its old space. Run with --expose-gc.
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getHeapSpaceStatistics } from 'node:v8'
import { loadConfig, startGateway } from '@toolwire/gateway'
import { server, tool } from 'toolwire'
import { listen } from 'toolwire/node'

const folder = await mkdtemp(join(tmpdir(), 'toolwire-left-'))
const greet = tool({ description: 'Greets', hints: { readOnly: true }, run: () => 'Hello' })
const behind = await listen(server({ name: 'behind', version: '1.0.0', tools: { greet } }), { port: 0 })
const config = {
  mcpServers: { up: { url: `http://127.0.0.1:${behind.port}/mcp` } },
  toolwire: { port: 0, dataDir: join(folder, 'data'), servers: { up: { prefix: false, trusted: true } }, guard: { rate: false } },
}
await writeFile(join(folder, 'mcp.json'), JSON.stringify(config))
const gateway = await startGateway(await loadConfig({ path: join(folder, 'mcp.json'), env: {}, cwd: folder }), { env: {} })

process.on('message', () => {
  // A young object moves to old space when it survives a second collection.
  globalThis.gc({ type: 'minor' })
  globalThis.gc({ type: 'minor' })
  process.send({ bytes: getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space').space_used_size })
})
process.send({ port: gateway.port, folder })
