// Keeps the direction of imports in packages/toolwire/src: a room imports rooms to its left, and nothing else.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const source = fileURLToPath(new URL('../packages/toolwire/src', import.meta.url))
const order = ['json', 'jsonrpc', 'tools', 'schema', 'revisions', 'peer', 'policy', 'server', 'client', 'llm', 'testing']
const mayImport = {
  ...Object.fromEntries(order.map((room, index) => [room, order.slice(0, index)])),
  policy: ['json', 'tools', 'schema'],
  client: ['json', 'jsonrpc', 'tools', 'schema', 'revisions', 'peer', 'policy'],
  auth: ['json', 'jsonrpc', 'tools', 'schema', 'revisions', 'peer', 'policy'],
  testing: [...order, 'transports'],
  transports: ['json', 'jsonrpc', 'tools', 'revisions', 'peer'],
}
const entries = ['index', 'stdio', 'node', 'redis', 'rules', 'observe', 'guard']
const failures = new Set()

const files = readdirSync(source, { recursive: true }).filter((file) => file.endsWith('.ts'))
const codes = new Map(
  files.map((file) => [file, readFileSync(join(source, file), 'utf8').replace(/^\s*\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/gm, '')]),
)
const imports = new Map(files.map((file) => [file, importsOf(file)]))

for (const file of files) {
  checkDirection(file)
  checkVersions(file)
}
checkRoot('index.ts', new Set(), [])

if (failures.size > 0) console.error([...failures].join('\n'))
console.log(`rooms: ${files.length} files, ${failures.size} failures`)
process.exitCode = failures.size > 0 ? 1 : 0

function checkDirection(file) {
  const room = roomOf(file)
  if (entries.includes(room)) return
  if (!(room in mayImport))
    return failures.add(`${file}: ${room} is no room. Each folder has a place in the order, so that a reader can guess the path.`)
  for (const { target, loads } of imports.get(file)) {
    const other = target && roomOf(target)
    if (!other || other === room || mayImport[room].includes(other)) continue
    if ((room === 'server' || room === 'client' || room === 'auth') && other === 'transports' && loads !== 'at once') continue
    failures.add(
      `${file} imports ${target}: ${room} must not know ${other}. A room imports rooms to its left, so that each can be read without the next.`,
    )
  }
}

function checkVersions(file) {
  const literal = /(['"`])20\d\d-\d\d-\d\d\1/.exec(codes.get(file))
  if (!literal || roomOf(file) === 'revisions') return
  failures.add(
    `${file} names ${literal[0]}. Only revisions/ knows versions, so that a new edition is one file and a line in the index.`,
  )
}

function checkRoot(file, seen, road) {
  if (seen.has(file) || !imports.has(file)) return
  seen.add(file)
  for (const { specifier, target, loads } of imports.get(file)) {
    if (loads === 'lazily' || (target && loads === 'never')) continue
    if (target) checkRoot(target, seen, [...road, file])
    else if (specifier.startsWith('node:'))
      failures.add(
        `${[...road, file].join(' > ')} imports ${specifier}. What the root entry reaches runs on Workers, Deno and Bun, so it needs no Node module.`,
      )
  }
}

function importsOf(file) {
  const code = codes.get(file)
  const named = code.matchAll(
    /^(?:import|export)\s+(type\s+)?(?:[\w$]+,?\s*)?(?:\{[^}]*\}\s*|\*\s*(?:as\s+[\w$]+\s+)?)?from\s*'([^']+)'/gm,
  )
  const others = code.matchAll(/^import\s*'([^']+)'|\bimport\(\s*'([^']+)'/gm)
  const found = [
    ...[...named].map(([, type, specifier]) => ({ specifier, loads: type ? 'never' : 'at once' })),
    ...[...others].map(([, bare, lazily]) => ({ specifier: bare ?? lazily, loads: bare ? 'at once' : 'lazily' })),
  ]
  return found.map((one) => ({ ...one, target: one.specifier.startsWith('.') ? resolveFile(file, one.specifier) : undefined }))
}

function resolveFile(file, specifier) {
  const path = resolve(source, dirname(file), specifier.replace(/\.js$/, '.ts'))
  if (!existsSync(path)) failures.add(`${file} imports ${specifier}, which does not exist.`)
  return relative(source, path)
}

function roomOf(file) {
  return file.split(sep)[0].replace(/\.ts$/, '')
}
