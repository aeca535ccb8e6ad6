// The client under test: the ordinary public API, with everything on that is on by default.
import { fileURLToPath } from 'node:url'
import { type CallResult, connect } from 'toolwire/client'
import { asked, checkSum, takeTurns } from './turns.js'

const overHttp = asked.where.startsWith('http')
const client = await connect(
  overHttp ? asked.where : { command: process.execPath, args: [fileURLToPath(new URL(asked.where, import.meta.url)), 'stdio'] },
  overHttp ? {} : { revision: '2025-11-25' },
)

await takeTurns(async () => {
  const { structuredContent }: CallResult = await client.call('add', { a: 20, b: 22 })
  checkSum((structuredContent as { sum: number }).sum) // validated against the schema that the server listed
}, asked.inFlight)
