// Bundles the hostile servers and the good one from the current sources, and starts them.
import { fork } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const source = (path: string) => here(`../../src/${path}`)
const cache = here('../../../../node_modules/.cache/toolwire-hostile')

/** Programs in a temporary folder, which also holds their logs. */
export class Programs {
  readonly folder: string
  readonly #ending: (() => void)[] = []

  private constructor(folder: string) {
    this.folder = folder
  }

  static async make(): Promise<Programs> {
    mkdirSync(cache, { recursive: true })
    const programs = new Programs(mkdtempSync(join(cache, 'run-')))
    await build({
      entryPoints: ['child', 'http-server', 'good'].map((name) => here(`${name}.ts`)),
      outdir: programs.folder,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      packages: 'external',
      alias: { toolwire: source('index.ts'), 'toolwire/node': source('node.ts'), 'toolwire/stdio': source('stdio.ts') },
      format: 'esm',
      platform: 'node',
      logLevel: 'silent',
    })
    return programs
  }

  path(name: 'child' | 'http-server' | 'good'): string {
    return join(this.folder, `${name}.mjs`)
  }

  /** Starts a program, and returns its URL. The program ends when this process does. */
  start(name: 'http-server' | 'good'): Promise<string> {
    const child = fork(this.path(name), [this.folder])
    this.#ending.push(() => child.kill('SIGKILL'))
    return new Promise((resolve, reject) => {
      child.once('message', (url) => resolve(String(url)))
      child.once('exit', (code) => reject(new Error(`${name} ended with ${code}`)))
    })
  }

  /** The recorded words of a server in one run. */
  seen(run: string): string[] {
    try {
      return readFileSync(join(this.folder, run), 'utf8').trim().split('\n')
    } catch (thrown) {
      if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return []
      throw thrown
    }
  }

  end(): void {
    for (const end of this.#ending) end()
    rmSync(this.folder, { recursive: true, force: true })
  }
}
