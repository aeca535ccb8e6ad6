// The program in the guide on replicas, run as three processes on one real database.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from 'toolwire/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../packages/toolwire/test/postgres-server.js'
import { bundle, snippetsIn, writeOut } from './snippets.js'

const folder = fileURLToPath(new URL('../../node_modules/.cache/snippets-replicas', import.meta.url))
const snippets = snippetsIn(folder).filter(({ code }) => code.includes('postgresStores('))

let postgres: PostgresServer
const ends: (() => void)[] = []
beforeAll(async () => {
  if (postgresFound) postgres = await postgresServer()
})
afterAll(async () => {
  for (const end of ends) end()
  await postgres?.close()
})

it.runIf(postgresFound)(
  'the program of the guide runs, and three copies share a session until one of them ends it',
  async () => {
    expect(snippets).toHaveLength(1)
    const [snippet] = snippets
    if (!snippet) return
    writeOut([snippet], folder)
    const file = (await bundle([snippet], folder))(snippet)
    const database = await postgres.database()
    const urls = await Promise.all([1, 2, 3].map(() => started(file, database)))
    for (const url of urls) {
      const client = await connect(url)
      expect((await client.call('ping')).content).toMatchObject([{ text: 'pong' }])
      await client.close()
    }
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const ask = (url: string | undefined, method: string, params: object, more: object = {}) =>
      fetch(url ?? '', {
        method: 'POST',
        headers: { ...headers, ...more },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
    const clientInfo = { name: 'test', version: '1' }
    const opened = await ask(urls[0], 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    const status = async (at: number) => (await ask(urls[at], 'tools/list', {}, session)).status
    expect([await status(0), await status(1), await status(2)]).toEqual([200, 200, 200])
    await fetch(urls[1] ?? '', { method: 'DELETE', headers: session })
    expect([await status(0), await status(1), await status(2)]).toEqual([404, 404, 404])
  },
  60_000,
)

it('the guide names an existing test for each shared state', () => {
  const guide = fileURLToPath(new URL('../guides/many-machines.md', import.meta.url))
  const [, section = ''] = readFileSync(guide, 'utf8').split('## Tests of the shared state')
  const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| ([^|]+) \| \[[\w-]+\]\(([^)]+)\) `([^`]+)` \|$/gm)]
  const states = [
    'log levels',
    'watched resources',
    'announced changes',
    'events of resumable streams',
    'running tasks',
    'rate limits',
  ]
  expect(rows.map(([, state]) => state)).toEqual(expect.arrayContaining([...states, 'used question states', 'ended sessions']))
  const missing = rows.filter(([, , file = '', title]) => {
    const path = join(dirname(guide), file)
    return !existsSync(path) || !readFileSync(path, 'utf8').includes(`'${title}'`)
  })
  expect(missing.map(([, state]) => state)).toEqual([])
  expect(section.split('\n## ')[0]?.match(/^\| /gm)).toHaveLength(rows.length + 2)
})

/** Starts a copy, and returns the address that it prints. */
async function started(file: string, database: string): Promise<string> {
  const env = { ...process.env, DATABASE_URL: database, PORT: '0', SHOP_SECRET: 'a secret that three replicas share' }
  const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  ends.push(() => child.kill('SIGKILL'))
  let said = ''
  for await (const chunk of child.stdout) {
    said += chunk
    if (said.includes('\n')) break
  }
  return said.trim()
}
