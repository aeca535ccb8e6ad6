// Replicas that follow the config in their database, and the commands that push it there.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { PostgresServer } from '../../../toolwire/test/postgres-server.js'
import type { ConfigFlags } from '../../src/config/settings/overrides.js'
import { runGateway } from '../../src/lifecycle/start-gateway.js'
import { newSigningKey } from '../../src/store/audit/signed-head.js'
import { inDatabase } from './postgres-stores.js'
import { clean, folder as filesIn, toolwire } from './run-program.js'
import { client, folder, openMs, program, words } from './running-gateway.js'

export const keys = { TOOLWIRE_VAULT_KEY: randomBytes(32).toString('hex'), TOOLWIRE_AUDIT_KEY: newSigningKey() }
export const notes = { command: process.execPath, args: [program('notes-server.mjs')] }

export const written = (settings: object = {}, server: object = notes) =>
  JSON.stringify({ mcpServers: { notes: server }, toolwire: { policy: 'rules.json', logLevel: 'info', ...settings } })
export const rules = (decision: string) =>
  JSON.stringify({
    rules: [{ name: 'writing', when: { server: 'notes', tool: 'write', arguments: { text: 'hi' } }, decision }],
    default: 'allow',
  })

/** A database, and a folder from which configs are pushed into it. */
export async function configPlace(server: PostgresServer) {
  const files = filesIn()
  onTestFinished(() => files[Symbol.dispose]())
  const store = await server.database()
  const env: NodeJS.ProcessEnv = { ...clean(files.path), TOOLWIRE_STORE: store, ...keys }
  const run = (...typed: string[]) => toolwire(typed, { env, cwd: files.path })
  /** Runs `doctor` in a folder without config. */
  const doctor = async (more = {}) =>
    (await toolwire(['doctor', '--offline'], { env: { ...env, ...more }, cwd: folder() })).stdout
  /** Writes both files, and pushes them. */
  async function push(decision: string, ...options: string[]) {
    writeFileSync(join(files.path, 'rules.json'), rules(decision))
    if (!options.includes('--as-it-is')) writeFileSync(join(files.path, 'mcp.json'), written())
    return run('config', 'push', 'mcp.json', ...options.filter((one) => one !== '--as-it-is'))
  }
  const write = (name: string, text: string) => writeFileSync(join(files.path, name), text)
  const history = async () => JSON.parse((await run('config', 'history', '--json')).stdout)
  /** The recorded actions of this kind, in the order of the log. */
  async function recorded(act: string) {
    const rows = await inDatabase<{ text: string }>(store, 'SELECT text FROM toolwire.audit ORDER BY position')
    const records = rows.map(({ text }) => JSON.parse(text))
    const intents = records.filter(({ kind, tool }) => kind === 'intent' && tool === `toolwire/${act}`)
    return intents.map((intent) => ({ by: intent.caller, ...intent.arguments }))
  }
  return { env, run, push, write, history, doctor, recorded }
}

/** A replica in a folder of its own, without a config. */
export async function replica(
  { env }: { readonly env: NodeJS.ProcessEnv },
  more: Record<string, string> = {},
  own: ConfigFlags = { port: 0 },
) {
  const home = folder()
  const log: string[] = []
  const machine = { env: { ...env, HOME: home, ...more }, cwd: home, home }
  const flags = { ...own, console: false, dataDir: join(home, 'data') }
  const gateway = await runGateway({ ...machine, flags }, { env: machine.env, openMs, onLog: ({ message }) => log.push(message) })
  onTestFinished(() => gateway.close({ drainMs: 0, delayMs: 0 }))
  const writes = async () => {
    const outcome = await (await client(gateway.url)).call('notes__write', { text: 'hi' }).catch(String)
    return typeof outcome === 'string' ? outcome : words(outcome)
  }
  return { gateway, log, writes }
}
