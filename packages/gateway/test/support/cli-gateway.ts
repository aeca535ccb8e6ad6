// A gateway that `toolwire up` has started in a folder of its own.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { readManagementToken } from '../../src/store/management-token.js'
import { clean, folder, program, shop, until } from './run-program.js'

const strange = fileURLToPath(new URL('../programs/strange-server.mjs', import.meta.url))
const policy = `rules:
  - name: writing is asked about
    when: { tool: "strange__write" }
    decision: ask
  - name: nobody looks for that
    when: { tool: "shop__search", arguments: { query: forbidden } }
    decision: deny
    because: it is secret
  - name: the rest
    decision: allow
`

export type RunningGateway = {
  readonly url: string
  readonly env: NodeJS.ProcessEnv
  readonly path: string
  readonly stderr: () => string
  /** The answer of the management API, without a process; a body makes it a POST. */
  api(path: string, body?: object): Promise<unknown>
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Starts a gateway with these files, or with generated servers and rules, or in an existing folder that is kept. */
export async function runningGateway(
  files?: { readonly [name: string]: string },
  at?: string,
  more: NodeJS.ProcessEnv = {},
): Promise<RunningGateway> {
  const { path, [Symbol.dispose]: remove } =
    at === undefined
      ? folder(files ?? { 'policy.yaml': policy, 'mcp.json': config() })
      : { path: at, [Symbol.dispose]: () => undefined }
  const child = spawn(
    process.execPath,
    [program, 'up', 'mcp.json', '--json', '--port', '0', '--policy', 'policy.yaml', '--data-dir', 'data'],
    {
      cwd: path,
      env: { ...clean(path), ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let stderr = ''
  child.stderr.on('data', (piece) => {
    stderr += piece
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const lines = createInterface(child.stdout)
  const first = await Promise.race([once(lines, 'line').then(([line]) => String(line)), ended.then(() => '')])
  if (first === '') throw new Error(`The gateway has ended: ${stderr}`)
  const url: string = new URL(JSON.parse(first).url).origin
  const api = askingAt(url, join(path, 'data'))
  await until(() => areReady(api))
  return {
    url,
    path,
    env: { ...clean(path), TOOLWIRE_URL: url },
    stderr: () => stderr,
    api,
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      const code = await ended
      remove()
      return code
    },
  }
}

/** Requests for polling. A command for each poll would start a process each time. */
export const askingAt =
  (url: string, dataDir: string): RunningGateway['api'] =>
  async (path, body) => {
    const headers = { authorization: `Bearer ${readManagementToken(dataDir)?.token}`, 'content-type': 'application/json' }
    const asked = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) }
    return (await fetch(`${url}/api/v1${path}`, asked)).json()
  }

/** The gateway does not wait for servers that start slowly, so the test does. */
async function areReady(api: RunningGateway['api']): Promise<boolean> {
  const { servers } = (await api('/servers')) as { servers: { state: string }[] }
  return servers.every(({ state }) => state === 'ready')
}

const config = () =>
  JSON.stringify({
    mcpServers: {
      shop: { command: process.execPath, args: shop.slice(2) },
      strange: { command: process.execPath, args: [strange] },
    },
    toolwire: { guard: { rate: false } },
  })
