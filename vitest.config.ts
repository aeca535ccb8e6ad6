import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const source = (path: string) => fileURLToPath(new URL(`./packages/toolwire/src/${path}`, import.meta.url))

const setUp = (name: string) => fileURLToPath(new URL(`./packages/toolwire/test/${name}.ts`, import.meta.url))

const include = [
  'packages/*/test/**/*.test.ts',
  'conformance/test/**/*.test.ts',
  'docs/**/*.test.ts',
  'examples/**/*.test.ts',
  'bench/test/**/*.test.ts',
  'fleet/test/**/*.test.ts',
  'deploy/test/**/*.test.ts',
]

/** Test files that need a process of their own, because they replace loaded modules or measure their process. */
const alone = [
  'packages/toolwire/test/auth/without-jose.test.ts',
  'packages/toolwire/test/client/oauth/pinned-fetch.test.ts',
  'packages/toolwire/test/hostile/**/*.test.ts',
  'packages/gateway/test/faults/flooding.test.ts',
  // A process has only one telemetry provider.
  'packages/gateway/test/monitoring/telemetry.test.ts',
  // The test counts the timers of its process.
  'packages/toolwire/test/client/keep-alive.test.ts',
  'examples/test/*.test.ts',
]

/** Test files that load all modules again, in a shared process. */
const afresh = [
  // These tests check the default output on stderr.
  'packages/toolwire/test/server/{envelope,errors,calls/definitions,questions/rounds}.test.ts',
  'packages/toolwire/test/threats/terminals/printing.test.ts',
  'packages/toolwire/test/auth/no-secrets-told.test.ts',
  // These tests check the state that is kept about servers.
  'packages/toolwire/test/client/{assumed-revision,open-session}.test.ts',
  // This test replaces a module.
  'packages/gateway/test/config/server-identity.test.ts',
  ...filesWithFakeTimers(),
]

/** Test files that fake timers, and not only the date. A timer set meanwhile never fires for the test files that follow. */
function filesWithFakeTimers(): string[] {
  const packages = fileURLToPath(new URL('./packages/', import.meta.url))
  return readdirSync(packages, { recursive: true, encoding: 'utf8' })
    .filter((path) => /^\w+[\\/]test[\\/].*\.test\.ts$/.test(path))
    .filter((path) => /useFakeTimers\((?!\{ toFake: \['Date'\] \})/.test(readFileSync(join(packages, path), 'utf8')))
    .map((path) => `packages/${path.replaceAll('\\', '/')}`)
}

/** Tests of shared state on a real PostgreSQL. `npm run fleet` runs them before its own tests. */
const fleet = [
  'packages/gateway/test/{replicas,store/postgres}/**/*.test.ts',
  'packages/gateway/test/{cli/store,lifecycle/shared-store}.test.ts',
  'packages/toolwire/test/postgres/*.test.ts',
]

/** Tests with a browser, with servers and clients of others, and with programs that are started or killed. `npm run test:e2e` runs them. */
const endToEnd = [
  'packages/{console,check}/test/**/*.test.ts',
  'packages/toolwire/test/interop/**/*.test.ts',
  'packages/gateway/test/{cli,faults,hosts,matrix,real,stdio}/**/*.test.ts',
]

/** Test files that only the soak runs, because they measure or need supervision. */
const onlySoaked = [
  'bench/test/promises.test.ts',
  'packages/gateway/test/lifecycle/memory-after-calls.test.ts',
  'packages/toolwire/test/loop-watch.test.ts',
]

/** Files that take up to a minute and a half, because they wait for other processes and for timeouts. */
const longest = [
  'gateway/test/faults/children',
  'check/test/hostile',
  'gateway/test/faults/connecting',
  'gateway/test/relay/relayed-tasks',
  'console/test/approvals/approvals-view',
  'check/test/our-servers',
  'toolwire/test/hostile/hostile',
  'check/test/faults',
  'toolwire/test/transports/http-per-request',
  'gateway/test/matrix/matrix',
  'gateway/test/hosts/connect',
  'gateway/test/faults/pressure',
  'gateway/test/store/postgres/copied-gateway',
  'toolwire/test/interop/servers/toolwire',
  'toolwire/test/interop/servers/fastmcp',
  'toolwire/test/interop/servers/sdk-v1',
]

/** Starts the longest files first, so that no long file runs alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => longest.some((name) => moduleId.includes(`${name}.test.ts`))
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

const soak = process.env.SOAK
const isFleet = process.env.FLEET !== undefined

const exclude = ['**/node_modules/**', '**/dist/**', ...(soak ? [] : onlySoaked), ...(soak || isFleet ? [] : fleet)]

/** Test files that import test/soak.ts, directly or through another file. */
function filesThatSoak(): string[] {
  const packages = fileURLToPath(new URL('./packages/', import.meta.url))
  const files = readdirSync(packages, { recursive: true, encoding: 'utf8' })
    .filter((path) => /^\w+[\\/]test[\\/].*\.ts$/.test(path))
    .map((path) => join(packages, path))
  const importsOf = (file: string) =>
    [...readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)\.js'/g)].map(([, path = '']) => `${join(dirname(file), path)}.ts`)
  const soaking = new Set([join(packages, 'toolwire/test/soak.ts')])
  for (let size = 0; size < soaking.size; ) {
    size = soaking.size
    for (const file of files) if (importsOf(file).some((path) => soaking.has(path))) soaking.add(file)
  }
  return [...[...soaking].filter((file) => file.endsWith('.test.ts')), 'bench/test/promises.test.ts']
}

/** A soak of a few minutes, with kills, long logs and large inputs. */
const shortSoak = [
  'bench/test/promises.test.ts',
  'packages/gateway/test/store/{killed,large-log}.test.ts',
  'packages/gateway/test/lifecycle/memory-after-calls.test.ts',
  'packages/toolwire/test/{loop-watch,json/parse,schema/hostile-schemas,schema/patterns,tools/uris/uri-template,llm/lowering}.test.ts',
  'packages/toolwire/test/{policy/sanitize,text}/*.test.ts',
  'packages/toolwire/test/jsonrpc/{events,line-splitter}.test.ts',
  // The normal test run covers only some rows of this file.
  'packages/toolwire/test/server/rate-limits.test.ts',
]

// Tests use the sources, so errors show source lines. Spawned processes use the build.
export default defineConfig({
  resolve: {
    alias: [
      { find: /^toolwire$/, replacement: source('index.ts') },
      { find: /^toolwire\/(schema|testing|client|client\/oauth|llm|auth|relay|postgres)$/, replacement: source('$1/index.ts') },
      { find: /^toolwire\/(guard|redis|rules|observe|stdio|node)$/, replacement: source('$1.ts') },
      { find: '@toolwire/check', replacement: source('../../check/src/index.ts') },
    ],
  },
  test: {
    // Many tests wait for other processes, so more workers than cores save time. The soak has one worker, because it measures.
    maxWorkers: soak ? 1 : 6,
    sequence: { sequencer: LongestFirst },
    // Shared machines are slow at times. On other machines, the awaited events come at once.
    testTimeout: soak ? 3_600_000 : 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // The transform cache serves later runs. `npx vitest --clearCache` deletes it.
    experimental: { fsModuleCache: true },
    projects: soak
      ? [
          {
            extends: true,
            test: { name: 'soak', setupFiles: [setUp('watch-peers')], include: soak === 'short' ? shortSoak : filesThatSoak() },
          },
        ]
      : [
          // A process loads the sources once for all of its test files.
          {
            extends: true,
            test: {
              name: 'together',
              include: isFleet ? fleet : include,
              exclude: [...exclude, ...alone, ...afresh, ...(isFleet ? [] : endToEnd)],
              isolate: false,
              setupFiles: [setUp('watch-peers'), setUp('together')],
            },
          },
          {
            extends: true,
            test: {
              name: 'end-to-end',
              include: isFleet ? [] : endToEnd,
              exclude: [...exclude, ...alone, ...afresh],
              isolate: false,
              setupFiles: [setUp('watch-peers'), setUp('together')],
            },
          },
          {
            extends: true,
            test: {
              name: 'afresh',
              include: isFleet ? [] : afresh,
              exclude: [...exclude, ...alone],
              isolate: false,
              setupFiles: [setUp('afresh'), setUp('watch-peers')],
            },
          },
          { extends: true, test: { name: 'alone', include: isFleet ? [] : alone, exclude, setupFiles: [setUp('watch-peers')] } },
        ],
  },
})
