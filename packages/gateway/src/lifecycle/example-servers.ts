// Example servers for a gateway without a config.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { UpstreamConfig } from '../config/gateway-config.js'

/** The example servers that are installed here: the shop comes with the package, the other one is in the repository only. */
export function exampleUpstreams(): UpstreamConfig[] {
  const shop = shopFile()
  const everything = packageFile('@modelcontextprotocol/server-everything', 'dist/index.js')
  return [
    ...(shop ? [example('shop', [shop, '--stdio'])] : []),
    ...(everything ? [example('everything', [everything, 'stdio'])] : []),
  ]
}

/** The example servers are trusted, because their hints are true. */
const example = (id: string, args: readonly string[]): UpstreamConfig => ({
  ...{ id, disabled: false, lazy: false, trusted: true, example: true, tools: {}, prefix: id },
  target: { kind: 'child', command: process.execPath, args, env: {} },
})

/** Finds the shop in the built package, or beside it when the gateway runs from its sources. */
function shopFile(): string | undefined {
  const places = ['./examples/shop.js', '../examples/shop.js', '../../../../examples/dist/shop.js']
  return places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((file) => existsSync(file))
}

function packageFile(name: string, path: string): string | undefined {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? []
  return folders.map((folder) => join(folder, name, path)).find((file) => existsSync(file))
}
