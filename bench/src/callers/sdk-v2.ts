// The official SDK v2, set up as in its documentation.
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { callerArguments, checkSum, takeTurns } from './turns.js'

const overHttp = callerArguments.target.startsWith('http')
const client = new Client(
  { name: 'bench', version: '1.0.0' },
  overHttp ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {},
)
await client.connect(
  overHttp
    ? new StreamableHTTPClientTransport(new URL(callerArguments.target))
    : new StdioClientTransport({
        command: process.execPath,
        args: [fileURLToPath(new URL(callerArguments.target, import.meta.url)), 'stdio'],
      }),
)
await client.listTools()

await takeTurns(async () => {
  const { structuredContent } = await client.callTool({ name: 'add', arguments: { a: 20, b: 22 } })
  checkSum((structuredContent as { sum: number }).sum) // the server's own format
}, callerArguments.inFlight)
