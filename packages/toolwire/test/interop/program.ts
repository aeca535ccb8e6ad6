// Bundles server.ts as a program that runs with Node and the built library, like a program of a user.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { FixtureOptions } from './fixture.js'

const root = new URL('../../../../', import.meta.url)
const path = (relative: string) => fileURLToPath(new URL(relative, root))

export type Program = { readonly command: string; readonly args: string[] }

/** The command that starts the fixture on stdio. */
export async function program(options: FixtureOptions = {}): Promise<Program> {
  script ??= makeScript()
  return { command: process.execPath, args: [await script, JSON.stringify(options)] }
}

let script: Promise<string> | undefined

async function makeScript(): Promise<string> {
  buildLibrary()
  const entry = fileURLToPath(new URL('server.ts', import.meta.url))
  const made = await build({ ...target, entryPoints: [entry], write: false })
  const code = made.outputFiles[0]?.text ?? ''
  const folder = path('node_modules/.cache/toolwire-interop')
  const file = join(folder, `server-${createHash('sha256').update(code).digest('hex').slice(0, 12)}.mjs`)
  mkdirSync(folder, { recursive: true })
  // Several test files may write the file at once. The rename prevents reading a half-written file.
  writeFileSync(`${file}.${process.pid}`, code)
  renameSync(`${file}.${process.pid}`, file)
  return file
}

const target = { bundle: true, packages: 'external', format: 'esm', platform: 'node', logLevel: 'silent' } as const

function buildLibrary(): void {
  if (existsSync(path('packages/toolwire/dist/stdio.js'))) return
  const { status, stderr } = spawnSync(process.execPath, [path('scripts/build.mjs')], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`The library could not be built: ${stderr}`)
}

/** Polls until the condition holds. */
export async function eventually(holds: () => boolean | Promise<boolean>, ms = 60_000): Promise<boolean> {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(10)) if (await holds()) return true
  return false
}
