// The packed package in a folder with its declared dependencies and nothing else.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CheckReport } from '../src/index.js'
import { sdkV1 } from './server-programs.js'

const packages = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'packed-check-'))
const modules = join(folder, 'node_modules')
const program = join(modules, '@toolwire/check/dist/cli.js')

type Ended = { readonly code: unknown; readonly stdout: string; readonly stderr: string }

function run(file: string, args: readonly string[], cwd = folder): Promise<Ended> {
  const { NODE_PATH: _, ...env } = process.env
  return new Promise((resolve) => {
    execFile(file, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, stdout, stderr }),
    )
  })
}

const check = (...words: string[]) => run(process.execPath, [program, ...words])

/** Copies the files that npm would publish to the place of an installation, and returns the names of their dependencies. */
async function unpack(name: string, target: string): Promise<string[]> {
  const source = join(packages, name)
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
  const { stdout, stderr } = await run(npm, ['pack', '--dry-run', '--json', '--ignore-scripts'], source)
  const [packed] = JSON.parse(stdout || '[]') as { files: { path: string }[] }[]
  if (!packed) throw new Error(`npm pack failed: ${stderr}`)
  for (const { path } of packed.files) cpSync(join(source, path), join(modules, target, path))
  const { dependencies = {} } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>
  }
  return Object.keys(dependencies)
}

/** Copies an external package from the workspace. */
function copyInstalled(name: string, from: string): void {
  const resolved = createRequire(join(packages, from, 'package.json')).resolve(name)
  const end = resolved.lastIndexOf(`${sep}node_modules${sep}${name}${sep}`) + `${sep}node_modules${sep}${name}`.length
  mkdirSync(dirname(join(modules, name)), { recursive: true })
  cpSync(resolved.slice(0, end), join(modules, name), { recursive: true })
}

beforeAll(async () => {
  for (const [name, target] of [
    ['toolwire', 'toolwire'],
    ['check', '@toolwire/check'],
  ] as const) {
    const dependencies = await unpack(name, target)
    for (const other of dependencies.filter((one) => one !== 'toolwire')) copyInstalled(other, name)
  }
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('The packed toolwire-check, without a gateway', () => {
  it('checks a server of the official SDK', async () => {
    const words = ['--only', 'base-ping', '--revision', '2025-11-25', '--json', '--']
    const target = 'command' in sdkV1 ? [sdkV1.command, ...(sdkV1.args ?? [])] : []
    const { code, stdout, stderr } = await check(...words, ...target)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const report = JSON.parse(stdout) as CheckReport
    expect(report.server).toEqual({ name: 'sdk-v1', version: '1.0.0' })
    expect(report.results.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['base-ping', 'enforced'],
      ['base-ping-before-opening', 'enforced'],
    ])
  })

  it('prints its own version, and help under its own name', async () => {
    const { version } = JSON.parse(readFileSync(join(packages, 'check/package.json'), 'utf8')) as { version: string }
    expect(await check('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
    const { code, stdout } = await check('--help')
    expect(code).toBe(0)
    expect(stdout).toContain('Usage: toolwire-check [options] <target...>')
    expect(stdout).not.toContain('toolwire check')
  })

  it.each([
    [['--onli', 'http', 'http://127.0.0.1:9/'], 2, "toolwire-check: unknown option '--onli' (Did you mean --only?)"],
    [
      ['--only', 'base-ping', '--out', join(folder, 'no/such/report'), 'http://127.0.0.1:9/'],
      2,
      'toolwire-check: The report cannot be written: ENOENT',
    ],
  ] as const)('says in one line what is wrong: %j', async (words, wanted, message) => {
    const { code, stdout, stderr } = await check(...words)
    expect([code, stdout]).toEqual([wanted, ''])
    expect(stderr.trimEnd().split('\n')).toEqual([expect.stringContaining(message)])
  })

  it('ends with 141 if its output is not read', async () => {
    const child = spawn(process.execPath, [program, '--help'], { stdio: ['ignore', 'pipe', 'inherit'] })
    child.stdout.destroy()
    expect(await once(child, 'exit')).toEqual([141, null])
  })

  it('shows control characters in its errors', async () => {
    const { code, stderr } = await check('http://127.0.0.1:9/', '\u001b[31mred')
    expect(code).toBe(2)
    expect(stderr).toContain('\\u{1b}[31mred')
    expect(stderr).not.toContain('\u001b')
  })

  it('ends with 4 if no server answers', async () => {
    const { code, stdout } = await check('--only', 'base-ping', 'http://127.0.0.1:9/')
    expect(code).toBe(4)
    expect(stdout).toContain('Could not connect')
  })
})
