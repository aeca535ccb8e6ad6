// Bundles the library into few files, because cold start counts, and transpiles the other programs.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { build as rolldown } from 'rolldown'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const library = join(root, 'packages/toolwire')
const page = join(root, 'packages/console')
/** The example server that the gateway offers without a config. */
const exampleShop = 'examples/src/shop.ts'
const common = { format: 'esm', target: 'node20', sourcemap: true, logLevel: 'silent', absWorkingDir: root }

/** The tests' helper that starts a PostgreSQL server. */
const databaseServer = ['postgres-server', 'free-port'].map((file) => `packages/toolwire/test/${file}.ts`)

const jobs = [
  {
    name: 'toolwire',
    folder: library,
    alsoReads: ['LICENSE', 'tsconfig.base.json', 'packages/toolwire/tsconfig.json'],
    run: buildLibrary,
  },
  {
    name: 'console',
    folder: page,
    // The page uses the library's validator.
    alsoReads: [
      'packages/toolwire/dist/.inputs',
      ...['index.html', 'vite.config.ts'].map((file) => `packages/console/${file}`),
      ...filesIn(join(page, 'public')).map((file) => relative(root, file)),
    ],
    run: buildConsole,
  },
  {
    name: 'check',
    folder: join(root, 'packages/check'),
    alsoReads: ['LICENSE', 'tsconfig.base.json', 'packages/check/tsconfig.json'],
    run: (folder) => buildProgram(folder, ['index', 'cli']),
  },
  {
    name: 'gateway',
    folder: join(root, 'packages/gateway'),
    // The gateway contains the page, so a new page needs a new build of the gateway.
    alsoReads: ['LICENSE', 'tsconfig.base.json', 'packages/gateway/tsconfig.json', 'packages/console/dist/.inputs', exampleShop],
    run: buildGateway,
  },
  {
    name: 'fleet',
    folder: join(root, 'fleet'),
    alsoReads: [...databaseServer, 'packages/gateway/test/support/pg-bouncer.ts'],
    run: buildFleet,
  },
  { name: 'bench', folder: join(root, 'bench'), alsoReads: databaseServer, run: buildBench },
  ...['conformance', 'examples'].map((name) => ({ name, folder: join(root, name), alsoReads: [], run: transpile })),
]

for (const job of jobs) await runJob(job)

async function runJob({ name, folder, alsoReads, run }) {
  const started = performance.now()
  const sources = filesIn(join(folder, 'src'))
  if (sources.length === 0) return console.log(`${name}: no sources yet`)
  const stamp = join(folder, 'dist/.inputs')
  const inputs = hashOf([
    ...sources,
    ...alsoReads.map((file) => join(root, file)),
    fileURLToPath(import.meta.url),
    join(folder, 'package.json'),
  ])
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === inputs) return console.log(`${name}: up to date`)
  await run(folder, sources).catch((thrown) => stop(name, thrown))
  writeFileSync(stamp, inputs)
  console.log(`${name}: built ${sources.length} files in ${Math.round(performance.now() - started)} ms`)
}

async function buildLibrary(folder) {
  const entries = [
    'index',
    'schema/index',
    'stdio',
    'node',
    'client/index',
    'client/oauth/index',
    'llm/index',
    'testing/index',
    'auth/index',
    'rules',
    'redis',
    'postgres/index',
    'guard',
    'observe',
    'relay/index',
  ]
  const missing = entries.filter((entry) => !existsSync(join(folder, 'src', `${entry}.ts`)))
  if (missing.length > 0) throw new Error(`entry points are missing: ${missing.map((entry) => `src/${entry}.ts`).join(', ')}`)
  rmSync(join(folder, 'dist'), { recursive: true, force: true })
  await bundleLibrary(folder, entries)
  declare(folder)
  prune(join(folder, 'dist'), entries)
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
}

/** Bundles the files that servers load at start into one chunk beside their entries, because opening a file costs more than its content. */
async function bundleLibrary(folder, entries) {
  const source = join(folder, 'src')
  const external = [/^(node:|undici\/)/, ...['undici', 'oauth4webapi', 'jose', 'yaml', '@opentelemetry/api']]
  const inputs = Object.fromEntries(entries.map((entry) => [entry, join(source, `${entry}.ts`)]))
  const core = await loadedAtStart([inputs.index, inputs.stdio], Object.values(inputs), external)
  await rolldown({
    cwd: root,
    input: inputs,
    platform: 'neutral',
    external,
    transform: { target: 'node20' },
    tsconfig: false,
    logLevel: 'warn',
    output: {
      dir: join(folder, 'dist'),
      format: 'esm',
      sourcemap: true,
      // Only readers of the sources need comments; here they cost time.
      comments: { legal: true, annotation: true, jsdoc: false },
      chunkFileNames: 'chunks/[name]-[hash].js',
      codeSplitting: { groups: [{ name: 'core', test: (id) => core.has(id) }] },
    },
  })
}

/** The files that some of the entries load, and that another entry or a dynamic import loads, too. */
async function loadedAtStart(some, entries, external) {
  const { metafile } = await build({
    ...common,
    entryPoints: entries,
    bundle: true,
    splitting: true,
    platform: 'neutral',
    outdir: root,
    write: false,
    metafile: true,
    external: ['node:*', ...external.filter((name) => typeof name === 'string')],
  })
  const importsOf = (file, of) =>
    metafile.inputs[file].imports.filter(({ kind, external }) => kind === of && !external).map(({ path }) => path)
  const loadedBy = (entry) => {
    const reached = new Set([entry])
    for (const file of reached) for (const path of importsOf(file, 'import-statement')) reached.add(path)
    return reached
  }
  const later = Object.keys(metafile.inputs).flatMap((file) => importsOf(file, 'dynamic-import'))
  const loads = [...new Set([...entries.map((entry) => relative(root, entry)), ...later])].map(loadedBy)
  const atStart = some.flatMap((entry) => [...loadedBy(relative(root, entry))])
  const isShared = (file) => loads.filter((reached) => reached.has(file)).length > 1
  return new Set(atStart.filter(isShared).map((file) => join(root, file)))
}

/** Builds the page and compresses its files, so that no gateway has to do so at start. */
async function buildConsole(folder) {
  const { build } = await import('vite')
  await build({ configFile: join(folder, 'vite.config.ts'), logLevel: 'error' })
  for (const file of filesIn(join(folder, 'dist'))) {
    const bytes = readFileSync(file)
    writeFileSync(`${file}.br`, brotliCompressSync(bytes))
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
  }
}

/** Bundles a program and its workers. The library stays a separate package, so that it is installed once. */
async function buildProgram(folder, entries) {
  rmSync(join(folder, 'dist'), { recursive: true, force: true })
  await build({
    ...common,
    entryPoints: entries.map((entry) => join(folder, 'src', `${entry}.ts`)),
    outdir: join(folder, 'dist'),
    bundle: true,
    splitting: true,
    platform: 'node',
    packages: 'external',
    chunkNames: 'chunks/[name]-[hash]',
  })
  declare(folder)
  prune(join(folder, 'dist'), entries)
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
}

async function buildGateway(folder) {
  await buildProgram(folder, ['index', 'toolwire', 'store-worker'])
  await build({ ...common, entryPoints: [join(root, exampleShop)], outdir: join(folder, 'dist/examples') })
  cpSync(join(page, 'dist'), join(folder, 'dist/console'), { recursive: true, filter: (file) => !file.endsWith('.inputs') })
}

/** Bundles each program of the fleet into one file, because they use helpers of the tests. */
async function buildFleet(folder) {
  rmSync(join(folder, 'dist'), { recursive: true, force: true })
  const entries = ['run', 'upstreams/work-http', 'upstreams/work-stdio']
  await build({
    ...common,
    entryPoints: entries.map((entry) => ({ in: join(folder, 'src', `${entry}.ts`), out: entry.slice(entry.indexOf('/') + 1) })),
    outdir: join(folder, 'dist'),
    bundle: true,
    platform: 'node',
    packages: 'external',
    tsconfigRaw: {},
  })
}

async function buildBench(folder, sources) {
  await transpile(folder, sources)
  const postgres = { in: join(folder, 'src/postgres.ts'), out: 'postgres' }
  const outdir = join(folder, 'dist')
  await build({
    ...common,
    entryPoints: [postgres],
    outdir,
    bundle: true,
    platform: 'node',
    packages: 'external',
    tsconfigRaw: {},
  })
}

function declare(folder) {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', join(folder, 'tsconfig.json')], {
    cwd: root,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`the declarations do not compile\n${stdout}${stderr}`)
}

/** Removes declarations that no entry uses, which take a third of the space. */
function prune(dist, entries) {
  const reached = new Set()
  const waiting = entries.map((entry) => join(dist, `${entry}.d.ts`))
  for (const file of waiting) {
    if (reached.has(file)) continue
    reached.add(file)
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+)\.js['"]/g))
      waiting.push(join(dirname(file), `${path}.d.ts`))
  }
  for (const file of filesIn(dist)) if (file.endsWith('.d.ts') && !reached.has(file)) rmSync(file)
}

async function transpile(folder, sources) {
  rmSync(join(folder, 'dist'), { recursive: true, force: true })
  mkdirSync(join(folder, 'dist'), { recursive: true })
  const code = sources.filter((file) => /\.m?ts$/.test(file) && !/\.d\.m?ts$/.test(file))
  await build({ ...common, entryPoints: code, outdir: join(folder, 'dist'), outbase: join(folder, 'src') })
  for (const file of sources.filter((file) => !/\.m?ts$/.test(file))) {
    const target = join(folder, 'dist', relative(join(folder, 'src'), file))
    mkdirSync(dirname(target), { recursive: true })
    copyFileSync(file, target)
  }
}

function filesIn(folder) {
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

function hashOf(files) {
  const hash = createHash('sha256').update(process.version)
  for (const file of files)
    hash
      .update(relative(root, file))
      .update('\0')
      .update(existsSync(file) ? readFileSync(file) : '')
  return hash.digest('hex')
}

function stop(name, thrown) {
  console.error(`${name}: the build failed: ${thrown.message}`)
  process.exit(1)
}
