// Bundles the program from the current sources and starts gateways with it.
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { onTestFinished } from 'vitest'
import type { Target } from '../../src/config/gateway-config.js'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
/** The bundle must be inside this package, so that Node finds its dependencies. */
const cache = join(root, 'packages/gateway/node_modules/.cache')
const source = (name: string): string => fileURLToPath(new URL(`../../src/${name}.ts`, import.meta.url))

let bundledOnce: Promise<string> | undefined

/** Cached for each state of the sources. */
export function builtProgram(): Promise<string> {
  bundledOnce ??= bundled()
  return bundledOnce
}

async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [source('toolwire'), source('store-worker')],
    outdir: join(cache, 'program'),
    bundle: true,
    splitting: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: [
      'libsql',
      'undici',
      'oauth4webapi',
      'jose',
      'yaml',
      'commander',
      '@clack/prompts',
      '@opentelemetry/api',
      '@opentelemetry/sdk-node',
    ],
    tsconfig: join(root, 'tsconfig.json'),
    logLevel: 'silent',
  })
  const hash = createHash('sha256')
  for (const { text } of outputFiles) hash.update(text)
  const folder = join(cache, `program-${hash.digest('hex').slice(0, 16)}`)
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true })
    const draft = mkdtempSync(join(cache, 'draft-'))
    for (const { path, contents } of outputFiles) writeFileSync(join(draft, basename(path)), contents)
    // Another test process may have written the same bundle meanwhile.
    if (!existsSync(folder)) renameSync(draft, folder)
    else rmSync(draft, { recursive: true })
  }
  return join(folder, 'toolwire.js')
}

export type Program = {
  readonly process: ChildProcess
  readonly url: string
  readonly port: number
  readonly config: { readonly dataDir: string }
  /** The lines on stderr. */
  readonly log: () => string
  /** Time from the start until the gateway listened. */
  readonly readyMs: number
  /** Settles with the exit code, or with the signal that ended the process. */
  readonly ended: Promise<number | string | null>
  stop(signal?: NodeJS.Signals): Promise<number | string | null>
}

export type ProgramOptions = {
  /** The targets of the servers by name. */
  readonly servers: { readonly [id: string]: Target }
  readonly folder: string
  readonly settings?: object
  /** Default: `data` in the folder. */
  readonly dataDir?: string
  /** A shell command that runs first. */
  readonly before?: string
  /** Options for Node itself. */
  readonly node?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

export class NotStarted extends Error {}

/** Starts `toolwire up` in its own folder and waits until it listens. If it does not, throws its output. */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { servers, folder, dataDir = join(folder, 'data'), settings = {}, before = '', node = [], env = {} } = options
  const file = join(folder, 'mcp.json')
  const mcpServers = Object.fromEntries(Object.entries(servers).map(([id, target]) => [id, entryOf(target)]))
  const trusted = Object.fromEntries(Object.keys(servers).map((id) => [id, { trusted: true }]))
  const toolwire = { servers: trusted, ...settings }
  writeFileSync(file, JSON.stringify({ mcpServers, toolwire }))
  const words = [await builtProgram(), 'up', file, '--json', '--no-console', '--port', '0', '--data-dir', dataDir]
  const began = performance.now()
  const child = spawn('sh', ['-c', `${before} exec "$0" "$@"`, process.execPath, ...node, ...words], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let log = ''
  child.stderr.on('data', (piece) => {
    log += piece
  })
  const ended = new Promise<number | string | null>((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)))
  const lines = createInterface(child.stdout)
  const line = await Promise.race([new Promise<string>((resolve) => lines.once('line', resolve)), ended.then(() => '')])
  if (line === '') throw new NotStarted(log)
  const { url } = JSON.parse(line) as { url: string }
  return {
    config: { dataDir },
    ...{ process: child, url, port: Number(new URL(url).port), log: () => log, readyMs: performance.now() - began, ended },
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}

function entryOf(target: Target): object {
  if (target.kind === 'child') return { command: target.command, args: target.args, env: target.env }
  return { type: target.kind, url: target.url, headers: target.headers }
}

export function programFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-program-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
