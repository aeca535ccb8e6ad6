// The installed package: its declarations must work for programs with other settings and compilers.
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { soaking } from '../soak.js'

const sources = fileURLToPath(new URL('installed', import.meta.url))
const library = fileURLToPath(new URL('../..', import.meta.url))
const root = dirname(dirname(library))
/** Outside `node_modules`, and outside the package, which would resolve its own name. */
const place = join(root, '.cache/installed')
const manifest = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8'))

const strict = {
  target: 'es2022',
  module: 'nodenext',
  strict: true,
  composite: true,
  declaration: true,
  skipLibCheck: false,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  types: ['node'],
}

/** Each project has its own settings and files. */
const projects = {
  strictest: { options: strict, files: ['server.ts', 'client.ts'] },
  usual: {
    options: {
      target: 'es2022',
      module: 'esnext',
      moduleResolution: 'bundler',
      strict: true,
      composite: true,
      skipLibCheck: true,
    },
    files: ['server.ts'],
  },
  // Without Node types, and with no newer library than the target.
  web: { options: { ...strict, lib: ['es2022', 'dom'], types: [] }, files: ['in-a-page.ts'] },
  isolated: { options: { ...strict, lib: ['es2022', 'dom'], types: [], isolatedDeclarations: true }, files: ['annotated.ts'] },
}

/** Source that exports the result of every function, which checks that each return type can be named. */
async function entryFiles(): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for (const [path, target] of Object.entries<{ default?: string }>(manifest.exports)) {
    if (target.default === undefined) continue
    const name = path.replace('.', 'toolwire')
    const functions = Object.entries(await import(join(library, target.default))).filter(([, value]) => isPlainFunction(value))
    const lines = functions.map(
      ([fn]) => `export const its_${fn} = () => entry.${fn}(...(nothing as Parameters<typeof entry.${fn}>))`,
    )
    const head = [`import * as entry from '${name}'`, 'declare const nothing: never']
    files[`${name.replaceAll('/', '-')}.ts`] = [...head, ...lines, ''].join('\n')
  }
  return files
}

const isPlainFunction = (value: unknown) => typeof value === 'function' && !/^class\b/.test(String(value))

beforeAll(async () => {
  rmSync(place, { recursive: true, force: true })
  const installed = join(place, 'node_modules/toolwire')
  mkdirSync(installed, { recursive: true })
  cpSync(join(library, 'package.json'), join(installed, 'package.json'))
  cpSync(join(library, 'dist'), join(installed, 'dist'), { recursive: true, filter: (path) => !/\.(js|map)$/.test(path) })
  const entries = await entryFiles()
  for (const [name, { options, files }] of Object.entries(projects)) {
    const folder = join(place, name)
    mkdirSync(folder)
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
    for (const file of files) cpSync(join(sources, file), join(folder, file))
    if (name === 'strictest') for (const [file, text] of Object.entries(entries)) writeFileSync(join(folder, file), text)
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { ...options, rootDir: '.', outDir: 'out' }, include: ['*.ts'] }),
    )
  }
  const references = Object.keys(projects).map((name) => ({ path: name }))
  writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ files: [], references }))
})

// The compilers that are written in JavaScript take 15 seconds each.
const compilers = soaking ? ['typescript-5.6', 'typescript-5.9', 'typescript'] : ['typescript']

describe.each(compilers)('%s', (compiler) => {
  it(`compiles programs that use the installed package: ${Object.keys(projects).join(', ')}`, async () => {
    const tsc = join(root, 'node_modules', compiler, 'bin/tsc')
    // Each thread would read the same libraries again, and garbage collection does not pay off for a short run.
    const threads = compiler === 'typescript' ? ['--singleThreaded'] : []
    const env = { ...process.env, GOGC: 'off' }
    const run = promisify(execFile)(process.execPath, [tsc, '--build', '--force', ...threads, place], { env })
    const complaints = await run.then(
      () => '',
      ({ stdout, stderr }) => `${stdout}${stderr}`,
    )
    expect(complaints).toBe('')
    for (const [name, { files }] of Object.entries(projects))
      for (const file of files)
        expect(readFileSync(join(place, name, 'out', file.replace(/\.ts$/, '.d.ts')), 'utf8')).toContain('export')
  })
})
