// Checks the direction of imports in packages/*/src: a folder imports only folders to its left.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const order = [
  'json',
  'jsonrpc',
  'bounds',
  'text',
  'tools',
  'schema',
  'revisions',
  'peer',
  'policy',
  'server',
  'client',
  'llm',
  'testing',
]
/** Views of the page: each is loaded on its first visit, and imports no other view. */
const views = ['overview', 'exposed', 'live', 'approvals', 'audit', 'policy', 'setup']
const toTheLeft = (folders) => Object.fromEntries(folders.map((folder, index) => [folder, folders.slice(0, index)]))

const packages = [
  {
    package: 'toolwire',
    mayImport: {
      ...toTheLeft(order),
      policy: ['json', 'bounds', 'text', 'tools', 'schema'],
      client: ['json', 'jsonrpc', 'bounds', 'text', 'tools', 'schema', 'revisions', 'peer', 'policy'],
      auth: ['json', 'jsonrpc', 'bounds', 'text', 'tools', 'schema', 'revisions', 'peer', 'policy'],
      testing: [...order, 'transports'],
      // Shared state of replicas, for every feature that has some.
      postgres: [...order.slice(0, order.indexOf('client')), 'transports'],
      transports: ['json', 'jsonrpc', 'bounds', 'text', 'tools', 'revisions', 'peer'],
    },
    entries: ['index', 'stdio', 'node', 'redis', 'rules', 'observe', 'guard', 'relay'],
    runsAnywhere: 'index.ts',
  },
  {
    package: 'gateway',
    mayImport: toTheLeft([
      'json',
      'bounds',
      'config',
      'store',
      'access',
      'monitoring',
      'upstreams',
      'relay',
      'catalog',
      'guard',
      'approvals',
      'api',
      'http',
      'console',
      'stdio',
      'lifecycle',
      'cli',
    ]),
    entries: ['index', 'toolwire', 'store-worker'],
  },
  {
    package: 'check',
    mayImport: toTheLeft([
      'json',
      'revisions',
      'check-report',
      'verdict',
      'check-options',
      'sample-arguments',
      'connection',
      'session',
      'attempt',
      'check',
      'checks',
      'run-check',
      'render',
      'check-command',
      'run-check-program',
    ]),
    entries: ['index', 'cli'],
  },
  {
    package: 'console',
    mayImport: {
      api: ['toolwire'],
      // Claims and hidden characters must be treated here as in the gateway.
      parts: ['api', 'toolwire'],
      // Calls are followed in every view, because the frame shows the running ones.
      calls: ['api'],
      page: ['api', 'parts', 'calls'],
      // Forms and the gateway must agree on valid values, so the page uses the library's validator.
      schemas: ['api', 'parts', 'toolwire'],
      results: ['api', 'parts', 'schemas'],
      trying: ['api', 'parts', 'page', 'schemas', 'results', 'toolwire'],
      ...Object.fromEntries(views.map((view) => [view, ['api', 'parts', 'page']])),
      // Pasted calls are parsed like in the gateway.
      policy: ['api', 'parts', 'page', 'toolwire'],
      setup: ['api', 'parts', 'page', 'toolwire'],
      overview: ['api', 'parts', 'page', 'live'],
      live: ['api', 'parts', 'calls', 'page'],
      exposed: ['api', 'parts', 'page', 'schemas', 'results', 'trying'],
    },
    mayLoad: { page: views },
    // The types of the API are the gateway's own; nothing of them remains in the browser.
    mayName: { api: ['gateway'] },
    entries: ['main'],
  },
]
const failures = new Set()
let count = 0

for (const one of packages) checkPackage(one)

if (failures.size > 0) console.error([...failures].join('\n'))
console.log(`import order: ${count} files, ${failures.size} failures`)
process.exitCode = failures.size > 0 ? 1 : 0

function checkPackage({ package: name, mayImport, mayLoad = {}, mayName = {}, entries, runsAnywhere }) {
  const source = fileURLToPath(new URL(`../packages/${name}/src`, import.meta.url))
  const files = existsSync(source) ? readdirSync(source, { recursive: true }).filter((file) => /\.tsx?$/.test(file)) : []
  const codes = new Map(
    files.map((file) => [file, readFileSync(join(source, file), 'utf8').replace(/^\s*\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/gm, '')]),
  )
  const imports = new Map(files.map((file) => [file, importsOf(file)]))
  count += files.length
  for (const file of files) {
    checkDirection(file)
    if (name === 'toolwire') checkVersions(file)
  }
  if (runsAnywhere) checkRoot(runsAnywhere, new Set(), [])

  function checkDirection(file) {
    const folder = folderOf(file)
    if (entries.includes(folder)) return
    if (!(folder in mayImport))
      return failures.add(`${file}: ${folder} is not in the order of folders. Give it a place in scripts/import-order.mjs.`)
    for (const { target, loads } of imports.get(file)) {
      const other = target && folderOf(target)
      if (!other || other === folder || mayImport[folder].includes(other)) continue
      if (loads === 'lazily' && mayLoad[folder]?.includes(other)) continue
      if (loads === 'never' && mayName[folder]?.includes(other)) continue
      if ((folder === 'server' || folder === 'client' || folder === 'auth') && other === 'transports' && loads !== 'at once')
        continue
      failures.add(`${file} imports ${target}: ${folder} must not know ${other}. A folder imports only folders to its left.`)
    }
  }

  function checkVersions(file) {
    const literal = /(['"`])20\d\d-\d\d-\d\d\1/.exec(codes.get(file))
    if (!literal || folderOf(file) === 'revisions') return
    failures.add(
      `${file} names ${literal[0]}. Only revisions/ knows versions, so that a new revision is one file and a line in the index.`,
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
    return found.map((one) => ({
      ...one,
      target: /^\.(?!.*\.css$)/.test(one.specifier) ? resolveFile(file, one.specifier) : undefined,
    }))
  }

  function resolveFile(file, specifier) {
    const named = resolve(source, dirname(file), specifier)
    const path = [named.replace(/\.js$/, '.ts'), named.replace(/\.js$/, '.tsx')].find((one) => existsSync(one)) ?? named
    if (!existsSync(path)) failures.add(`${file} imports ${specifier}, which does not exist.`)
    return relative(source, path)
  }

  function folderOf(file) {
    const parts = file.split(sep)
    // A path that leaves this package names another one.
    return parts[0] === '..' ? parts[2] : parts[0].replace(/\.tsx?$/, '')
  }
}
