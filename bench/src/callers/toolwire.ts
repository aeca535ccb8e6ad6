// The client under test: the public API without recording, rate limits and sanitizing, which the other callers lack.
import { fileURLToPath } from 'node:url'
import { type CallResult, connect } from 'toolwire/client'
import { wireOnly } from '../guards.js'
import { callerArguments, checkSum, takeTurns } from './turns.js'

const overHttp = callerArguments.target.startsWith('http')
const client = await connect(
  overHttp
    ? callerArguments.target
    : { command: process.execPath, args: [fileURLToPath(new URL(callerArguments.target, import.meta.url)), 'stdio'] },
  { guard: wireOnly, ...(!overHttp && { revision: '2025-11-25' }) },
)

await takeTurns(async () => {
  const { structuredContent }: CallResult = await client.call('add', { a: 20, b: 22 })
  checkSum((structuredContent as { sum: number }).sum) // validated against the schema that the server listed
}, callerArguments.inFlight)
