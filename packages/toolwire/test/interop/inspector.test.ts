// The command line of the MCP Inspector over HTTP, HTTP+SSE and stdio.
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eachNth } from '../soak.js'
import { notes } from './fixture.js'
import { served } from './legs.js'
import { program } from './program.js'

const folder = fileURLToPath(new URL('../../../../conformance/node22', import.meta.url))
const node = join(folder, 'node_modules/node/bin/node')
const launcher = join(folder, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js')

/** The Inspector needs a newer version of Node than this repository, so both are installed separately. */
function install(): boolean {
  if (!existsSync(node) || !existsSync(launcher))
    spawnSync('npm', ['ci', '--prefix', folder, '--no-audit', '--no-fund', '--prefer-offline'], { timeout: 50_000 })
  if (existsSync(node) && existsSync(launcher)) return true
  if (process.env.CI) throw new Error('The inspector could not be installed: npm ci --prefix conformance/node22')
  console.warn('SKIPPED: the inspector could not be installed (npm ci --prefix conformance/node22)')
  return false
}

type Outcome = { code: number; result: unknown }
type Target = (server: { url: string; sse: URL; stdio: string[] }) => string[]

const targets: [string, Target][] = [
  ['over HTTP, 2025-11-25', ({ url }) => [url, '--transport', 'http', '--protocol-era', 'legacy']],
  ['over HTTP, 2026-07-28', ({ url }) => [url, '--transport', 'http', '--protocol-era', 'modern']],
  ['over HTTP+SSE', ({ sse }) => [sse.href, '--transport', 'sse']],
  ['over stdio, 2025-11-25', ({ stdio }) => [...stdio, '--protocol-era', 'legacy']],
  ['over stdio, 2026-07-28', ({ stdio }) => [...stdio, '--protocol-era', 'modern']],
]

describe.skipIf(!install()).concurrent.each(eachNth(targets, 4))('The inspector %s', (_, target) => {
  const home = mkdtempSync(join(tmpdir(), 'toolwire-inspector-'))
  let server: Awaited<ReturnType<typeof served>>
  let stdio: string[]
  beforeAll(async () => {
    server = await served()
    const { command, args } = await program()
    stdio = [command, ...args]
  })
  afterAll(async () => {
    await server.close()
    rmSync(home, { recursive: true, force: true })
  })

  const inspect = (method: string, ...more: string[]): Promise<Outcome> =>
    new Promise((resolve, reject) => {
      const args = [
        launcher,
        '--cli',
        ...target({ ...server, stdio }),
        '--format',
        'json',
        '--connect-timeout',
        '120000',
        '--method',
        method,
        ...more,
      ]
      execFile(node, args, { env: { ...process.env, HOME: home }, timeout: 200_000 }, (error, stdout, stderr) => {
        if (stdout === '') return reject(new Error(`The inspector said nothing: ${stderr}`))
        resolve({ code: Number(error?.code ?? 0), result: JSON.parse(stdout).result })
      })
    })

  it('lists tools whose schemas are portable', async () => {
    const { code, result } = await inspect('tools/list', '--strict')
    expect(code).toBe(0)
    expect(result).toMatchObject({ tools: expect.arrayContaining([expect.objectContaining({ name: 'echo' })]) })
  })

  it('calls tools with valid and invalid arguments', async () => {
    const good = await inspect('tools/call', '--tool-name', 'add', '--tool-args-json', '{"a":1,"b":2}')
    expect(good).toMatchObject({ code: 0, result: { structuredContent: { sum: 3 } } })
    const bad = await inspect('tools/call', '--tool-name', 'fail')
    expect(bad).toMatchObject({ code: 5, result: { isError: true, content: [{ text: 'The shop is closed' }] } })
  })

  it('reads resources and prompts', async () => {
    const read = await inspect('resources/read', '--uri', notes)
    expect(read).toMatchObject({ code: 0, result: { contents: [{ uri: notes, text: 'buy milk' }] } })
    const prompt = await inspect('prompts/get', '--prompt-name', 'greet', '--prompt-args', 'name=Ada')
    expect(prompt).toMatchObject({ code: 0, result: { messages: [{ content: { text: 'Greet Ada in a warm voice' } }] } })
  })
})
