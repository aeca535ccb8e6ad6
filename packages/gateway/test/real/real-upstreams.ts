// Servers of other authors behind one gateway.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import type { Target } from '../../src/config/gateway-config.js'
import { Upstream } from '../../src/upstreams/upstream.js'
import { child, config, program } from '../support/upstream-fixture.js'

const resolve = createRequire(import.meta.url).resolve
const official = (name: string) =>
  resolve(`@modelcontextprotocol/server-${name}/package.json`).replace('package.json', 'dist/index.js')

/** A folder that is removed after the tests of this file. */
export function scratch(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'toolwire-real-')))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function lineUp(folder: string): readonly Upstream[] {
  const targets: Record<string, Target> = {
    everything: child(official('everything'), 'stdio'),
    files: child(official('filesystem'), folder),
    memory: { ...child(official('memory')), env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } } as Target,
    thinking: child(official('sequential-thinking')),
    fastmcp: child(fileURLToPath(new URL('./fastmcp-server.mjs', import.meta.url))),
    v1: child(program('sdk-v1-server.mjs')),
    v2: child(program('sdk-v2-server.mjs')),
  }
  return Object.entries(targets).map(([id, target]) => new Upstream(config(id, target), { onNote: () => undefined }))
}
