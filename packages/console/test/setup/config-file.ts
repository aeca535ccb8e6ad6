// A gateway with its own config file, as `toolwire up` starts it, for tests in a browser.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Gateway, runGateway } from '../../../gateway/src/lifecycle/start-gateway.js'
import { folder, openMs, program, storeIn } from '../../../gateway/test/support/running-gateway.js'

export const notesEntry = { command: process.execPath, args: [program('notes-server.mjs')] }

export type OwnFile = Gateway & { readonly home: string; readonly path: string; text(): string; link(): string }

export async function ownFile(mcpServers: object, toolwire: object = {}): Promise<OwnFile> {
  const { TOOLWIRE_PAGE: page } = process.env
  const place = folder()
  const path = join(place, 'mcp.json')
  const settings = { port: 0, console: { port: 0 }, ...toolwire }
  writeFileSync(path, `// Ours.\n${JSON.stringify({ mcpServers, toolwire: settings }, undefined, 2)}\n`)
  const where = { path, env: {}, cwd: place, home: place, settleMs: 20, pollMs: 100 }
  const store = await storeIn(join(place, 'data'))
  const gateway = await runGateway(where, { env: {}, openMs, store, ...(page && { console: { page } }) })
  onTestFinished(() => gateway.close({ drainMs: 0 }))
  return Object.assign(gateway, {
    home: gateway.consoleUrl ?? '',
    path,
    text: () => readFileSync(path, 'utf8'),
    link: () => gateway.loginLink() ?? '',
  })
}
