// The official suite as a separate program. It needs a newer Node than this project, so both are installed in a separate folder.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const home = fileURLToPath(new URL('../node22/', import.meta.url))
const node = join(home, 'node_modules/node/bin/node')
const conformance = join(home, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')

/** Installs the suite unless it is installed already. */
export function installSuite(): void {
  if (existsSync(node) && existsSync(conformance)) return
  const { status } = spawnSync('npm', ['ci', '--prefix', home], { stdio: ['ignore', 'inherit', 'inherit'] })
  if (status !== 0 || !existsSync(node))
    throw new Error(`npm ci --prefix ${home} did not install the conformance suite. Check that the registry can be reached.`)
}

export type Run = { readonly output: string; readonly exitCode: number | null }

/** Runs the suite with these arguments and returns its output. */
export function runSuite(args: readonly string[], options: { verbose: boolean }): Promise<Run> {
  return new Promise((resolve, reject) => {
    const suite = spawn(node, [conformance, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    const printed: string[] = []
    const hear = (chunk: Buffer) => {
      printed.push(chunk.toString())
      if (options.verbose) process.stderr.write(chunk)
    }
    suite.stdout.on('data', hear)
    suite.stderr.on('data', hear)
    suite.on('error', reject)
    suite.on('close', (exitCode) => resolve({ output: printed.join(''), exitCode }))
  })
}
