// Finds the code blocks of the documentation, writes them to files, and compiles them together.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))
const setups = fileURLToPath(new URL('./setup', import.meta.url))

export type Snippet = {
  /** The place in the documentation, as in `docs/guides/testing.md:12`. */
  readonly place: string
  readonly file: string
  readonly code: string
  readonly runs: boolean
  /** The expected output: the comments that begin with an arrow. */
  readonly prints: readonly string[]
}

export function snippetsIn(folder: string): Snippet[] {
  const pages = [
    join(root, 'README.md'),
    ...readdirSync(join(root, 'docs'), { recursive: true }).map((name) => join(root, 'docs', String(name))),
  ]
  return pages.filter((page) => page.endsWith('.md') && existsSync(page)).flatMap((page) => snippetsOf(page, folder))
}

// Readers do not see the words after `ts` in the first line: `no-run`, and `setup=name` for the exports of docs/test/setup/<name>.ts.
// A block that begins with `// name.js` is that file, so that other blocks of the page can import it.
const block = /^```ts((?: \S+)*)\n([\s\S]*?)^```/gm

function snippetsOf(page: string, folder: string): Snippet[] {
  const text = readFileSync(page, 'utf8')
  const name = relative(root, page).replaceAll(/[^A-Za-z0-9]+/g, '-')
  return [...text.matchAll(block)].map(({ 1: words = '', 2: code = '', index }, count) => {
    const line = text.slice(0, index).split('\n').length + 1
    const [, file = count + 1] = /^\/\/ ([\w-]+)\.js\n/.exec(code) ?? []
    return {
      place: `${relative(root, page)}:${line}`,
      file: join(folder, name, `${file}.ts`),
      // As many empty lines as there are above the block in its page, so that the compiler reports the line in the page.
      code: setup(/ setup=(\S+)/.exec(words)?.[1]) + '\n'.repeat(line - 1) + code,
      runs: !words.includes(' no-run'),
      prints: [...code.matchAll(/\/\/ -> (.*)$/gm)].map(([, printed = '']) => printed),
    }
  })
}

/** The examples in the comments of the library. Each can use `app`, `z` and every public name, because a name has one entry. */
export function examplesIn(folder: string): Snippet[] {
  const source = join(root, 'packages/toolwire/src')
  const files = readdirSync(source, { recursive: true }).map((name) => join(source, String(name)))
  return files.filter((file) => file.endsWith('.ts')).flatMap((file) => examplesOf(file, folder))
}

const example = /^ *\* @example\n *\* ```ts\n([\s\S]*?)^ *\* ```/gm

function examplesOf(source: string, folder: string): Snippet[] {
  const text = readFileSync(source, 'utf8')
  const name = relative(root, source).replaceAll(/[^A-Za-z0-9]+/g, '-')
  return [...text.matchAll(example)].map(({ 1: lines = '', index }, count) => {
    const line = text.slice(0, index).split('\n').length + 2
    const code = lines.replaceAll(/^ *\* ?/gm, '')
    return {
      place: `${relative(root, source)}:${line}`,
      file: join(folder, `${name}-${count + 1}.ts`),
      code: `${setup('examples')}${importsFor(code)}${'\n'.repeat(line - 1)}${code}\nexport {}\n`,
      runs: false,
      prints: [],
    }
  })
}

/** Imports for the public names in a piece of code, from the entries in docs/reference/api.md. */
function importsFor(code: string): string {
  const page = readFileSync(join(root, 'docs/reference/api.md'), 'utf8')
  const sections = page.split(/^## /m).slice(1)
  const imports = sections.flatMap((section) => {
    const entry = /`(.*)`/.exec(section)?.[1]
    const rows = [...section.matchAll(/^\| `(\w+)` \| (\w+) \|/gm)]
    return rows.flatMap(([, name = '', kind]) =>
      new RegExp(`\\b${name}\\b`).test(code) ? `import ${kind === 'type' ? 'type ' : ''}{ ${name} } from '${entry}';` : [],
    )
  })
  return imports.join('')
}

function setup(name: string | undefined): string {
  if (name === undefined) return ''
  const file = join(setups, `${name}.ts`)
  const exported = [...readFileSync(file, 'utf8').matchAll(/^export (?:const|function|class) (\w+)/gm)].map(([, one]) => one)
  return `import { ${exported.join(', ')} } from ${JSON.stringify(file.replace(/\.ts$/, '.js'))};`
}

export function writeOut(snippets: readonly Snippet[], folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  for (const { file, code } of snippets) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, code)
  }
}

/** The messages of the compiler, or an empty text. */
export function complaints(snippets: readonly Snippet[], folder: string): string {
  const config = join(folder, 'tsconfig.json')
  const files = snippets.map(({ file }) => file)
  writeFileSync(config, JSON.stringify({ extends: join(root, 'tsconfig.json'), files, include: [] }))
  const tsc = resolve(root, 'node_modules/typescript/bin/tsc')
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', config, '--singleThreaded'], {
    cwd: root,
    encoding: 'utf8',
    // The compiler ends before a garbage collection would pay off.
    env: { ...process.env, GOGC: 'off' },
  })
  return status === 0 ? '' : `${stdout}${stderr}`
}

/**
 * Bundles each snippet with its own copy of the library, so that snippets do not affect each other. Returns the modules. Only types are
 * removed, so syntax that is too new for this Node fails.
 */
export async function bundle(snippets: readonly Snippet[], folder: string): Promise<(snippet: Snippet) => string> {
  const { paths } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')).compilerOptions as {
    paths: Record<string, [string]>
  }
  const entries = Object.entries(paths).map(([name, [source]]) => [name, join(root, source)] as const)
  await build({
    entryPoints: snippets.map(({ file }) => file),
    target: 'esnext',
    outdir: join(folder, 'out'),
    outbase: folder,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
    // Longer names come first, because `toolwire` would also match `toolwire/node`.
    alias: Object.fromEntries(entries.toSorted(([a], [b]) => b.length - a.length)),
    external: [
      'zod',
      'valibot',
      'arktype',
      'express',
      'fastify',
      'hono',
      '@hono/*',
      '@valibot/*',
      'undici',
      'oauth4webapi',
      'redis',
      'pg',
      'yaml',
      'jose',
      '@opentelemetry/*',
    ],
  })
  return ({ file }) => join(folder, 'out', relative(folder, file).replace(/\.ts$/, '.js'))
}
