// The gateway's aggregated server from its sources, bundled into a folder that resolves the library's packages.
import { mkdirSync, rmSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const source = (path: string) => fileURLToPath(new URL(`../../packages/gateway/src/${path}`, import.meta.url))

type Source = typeof import('../../packages/gateway/src/catalog/aggregate-server.js') &
  typeof import('../../packages/gateway/src/upstreams/upstream.js')

export async function gatewaySource(): Promise<Source> {
  const folder = fileURLToPath(new URL('./gateway-source/', import.meta.url))
  mkdirSync(folder, { recursive: true })
  const outfile = `${folder}${process.pid}.mjs` // unique, because several gateways may start at once
  const contents = `export * from ${JSON.stringify(source('catalog/aggregate-server.ts'))}
export * from ${JSON.stringify(source('upstreams/upstream.ts'))}`
  await build({
    stdin: { contents, resolveDir: folder },
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  })
  const bundled: Source = await import(pathToFileURL(outfile).href)
  rmSync(outfile)
  return bundled
}
