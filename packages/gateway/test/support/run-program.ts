// Runs the real program as a child process and captures its output.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const program = fileURLToPath(new URL('../../dist/toolwire.js', import.meta.url))
const root = fileURLToPath(new URL('../../../..', import.meta.url))
export const shop = ['--', process.execPath, join(root, 'examples/dist/shop.js'), '--stdio']
export const everything = [
  '--',
  process.execPath,
  join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'),
  'stdio',
]

if (!existsSync(program)) throw new Error('The program is not built: npm run build')

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string }
export type Running = { readonly env?: NodeJS.ProcessEnv; readonly cwd?: string; readonly stdin?: string }

/** An environment without files of this machine's user and without a running gateway. */
export const clean = (home: string): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: home,
  TOOLWIRE_URL: 'http://127.0.0.1:9',
  TERM: 'xterm',
})

export function toolwire(
  words: readonly string[],
  { env = clean(tmpdir()), cwd = tmpdir(), stdin }: Running = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...words], { env, cwd, stdio: 'pipe' })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (piece) => {
      stdout += piece
    })
    child.stderr.on('data', (piece) => {
      stderr += piece
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
    child.stdin.end(stdin ?? '')
  })
}

export { until } from '../../../toolwire/test/waiting.js'

/** A folder with these files, which is removed on disposal. */
export function folder(files: { readonly [name: string]: string } = {}): { path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), 'toolwire-commands-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
