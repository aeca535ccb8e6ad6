// A client of @modelcontextprotocol/server-everything, over each of its transports.
import { fileURLToPath } from 'node:url'
import { type Client, type ConnectOptions, connect, memoryRevisions } from 'toolwire/client'
import type { Answering, types } from 'toolwire/relay'
import { afterAll, beforeAll } from 'vitest'
import type { ResourceContents } from '../../../../src/tools/content.js'
import { freePort } from '../../../free-port.js'
import { eventually } from '../../program.js'
import { type Running, running } from '../launch.js'

const script = fileURLToPath(
  new URL('../../../../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
)
/** An environment variable that is passed to the server on purpose. */
export const given = { GIVEN_TO_THE_SERVER: 'on purpose' }

export const transports = ['stdio', 'streamableHttp', 'sse'] as const
export type TransportName = (typeof transports)[number]

export type Visit = {
  readonly transport: TransportName
  client: Client
  readonly changes: types.Change[]
  readonly logs: unknown[]
  readonly warnings: string[]
}

/** Connects before the surrounding tests, and closes after them. */
export function visit(transport: TransportName, answers: Answering = {}, options: ConnectOptions = {}): Visit {
  const at: Omit<Visit, 'client'> & { client?: Client } = { transport, changes: [], logs: [], warnings: [] }
  let server: Running | undefined
  beforeAll(async () => {
    if (transport !== 'stdio') server = await started(transport)
    at.client = await reach(transport, server, {
      ...options,
      answers,
      verdicts: memoryRevisions(),
      onLog: (entry) => at.logs.push(entry),
      onWarning: (text) => at.warnings.push(text),
    })
    at.client.onChange((change) => at.changes.push(change))
  })
  afterAll(async () => {
    await at.client?.close()
    await server?.[Symbol.asyncDispose]()
  })
  return at as Visit // no test runs before the client is connected
}

function reach(transport: TransportName, server: Running | undefined, options: ConnectOptions): Promise<Client> {
  if (!server) return connect({ command: process.execPath, args: [script, 'stdio'], env: given }, options)
  return connect(`http://127.0.0.1:${server.port}/${transport === 'sse' ? 'sse' : 'mcp'}`, options)
}

async function started(transport: TransportName): Promise<Running> {
  const env = { ...given, PATH: process.env.PATH, PORT: String(await freePort()) }
  return running({ command: process.execPath, args: [script, transport] }, { says: /on port (\d+)/, env })
}

/** Some tools are added only after the handshake, because they depend on the capabilities of the client. */
export const offers = (client: Client, name: string): Promise<boolean> =>
  eventually(async () => (await client.listTools()).some((tool) => tool.name === name))

/** The bytes of a binary resource. */
export const bytesOf = (contents: ResourceContents | undefined): Buffer =>
  Buffer.from(contents && 'blob' in contents ? contents.blob : '', 'base64')
