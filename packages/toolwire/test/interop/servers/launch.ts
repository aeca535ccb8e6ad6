// Bundles the server programs of this folder, and runs each as a separate process.
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Program } from '../program.js'

const cache = fileURLToPath(new URL('../../../../../node_modules/.cache/toolwire-interop', import.meta.url))
const source = (name: string) => fileURLToPath(new URL(`programs/${name}.ts`, import.meta.url))

const scripts = new Map<string, Promise<string>>()

/** The command that runs a program; the mode selects its transport. */
export async function programOf(name: string, mode: string): Promise<Program> {
  const script = scripts.get(name) ?? makeScript(name)
  scripts.set(name, script)
  return { command: process.execPath, args: [await script, mode] }
}

async function makeScript(name: string): Promise<string> {
  const made = await build({
    entryPoints: [source(name)],
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    write: false,
  })
  const code = made.outputFiles[0]?.text ?? ''
  const file = join(cache, `${name}-${createHash('sha256').update(code).digest('hex').slice(0, 12)}.mjs`)
  mkdirSync(cache, { recursive: true })
  // Several test files may write the file at once. The rename prevents reading a half-written file.
  writeFileSync(`${file}.${process.pid}`, code)
  renameSync(`${file}.${process.pid}`, file)
  return file
}

export type Running = AsyncDisposable & { readonly port: number }

/** Starts a program, and waits until it prints its port to stderr. */
export async function running(
  { command, args }: Program,
  { says = /READY (\d+)/, env = process.env }: { says?: RegExp; env?: NodeJS.ProcessEnv } = {},
): Promise<Running> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env })
  const port = await portOf(child, says)
  return { port, [Symbol.asyncDispose]: () => ended(child) }
}

function portOf(child: ChildProcess, says: RegExp): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output += text
      const found = says.exec(output)
      if (found) resolve(Number(found[1]))
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}: ${output}`)))
  })
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })
}
