import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { type GatewayConfig, type LoadOptions, loadConfig } from '../../src/config/index.js'

/** A temporary folder for each test, with a home directory and a config. */
export function folderForEach() {
  const folder = {
    path: '',
    at: (...parts: string[]) => join(folder.path, ...parts),
    async write(name: string, content: string | object): Promise<string> {
      const path = folder.at(name)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2))
      return path
    },
    options: (more: Partial<LoadOptions> = {}): LoadOptions => ({
      cwd: folder.path,
      home: folder.at('home'),
      platform: 'linux',
      env: {},
      ...more,
    }),
    async load(content: string | object, more: Partial<LoadOptions> & { name?: string } = {}): Promise<GatewayConfig> {
      const path = await folder.write(more.name ?? 'mcp.json', content)
      return loadConfig(folder.options({ path, ...more }))
    },
  }
  beforeEach(async () => {
    folder.path = await mkdtemp(join(tmpdir(), 'config-'))
  })
  afterEach(() => rm(folder.path, { recursive: true, force: true }))
  return folder
}
