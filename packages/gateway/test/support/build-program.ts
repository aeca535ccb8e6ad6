// Bundles programs and worker threads from the current sources, once for each state of them.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const cache = join(root, 'node_modules/.cache/toolwire')

const builds = new Map<string, Promise<URL>>()

/** The bundled JavaScript of a source file. */
export function built(source: URL): Promise<URL> {
  const build = builds.get(source.href) ?? bundled(source)
  builds.set(source.href, build)
  return build
}

async function bundled(source: URL): Promise<URL> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(source)],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['libsql', 'pg', 'undici', 'oauth4webapi', 'jose', 'yaml', '@opentelemetry/api'],
    tsconfig: join(root, 'tsconfig.json'),
    logLevel: 'silent',
  })
  const text = outputFiles[0]?.text ?? ''
  const file = join(cache, `${createHash('sha256').update(text).digest('hex').slice(0, 16)}.mjs`)
  if (!existsSync(file)) {
    mkdirSync(cache, { recursive: true })
    writeFileSync(`${file}.${process.pid}`, text)
    renameSync(`${file}.${process.pid}`, file)
  }
  return pathToFileURL(file)
}

/** The worker thread of the store. */
export const builtWorker = (): Promise<URL> => built(new URL('../../src/store-worker.ts', import.meta.url))
