// Packs the library, the checker and the gateway and checks them from a user's view: types, exports, size, the modules that the root entry
// loads, and the programs.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const megabyte = 1024 * 1024
/** Limits of an installation, our own packages included. */
const most = { toolwire: { packages: 3, bytes: 4 * megabyte }, check: { packages: 5, bytes: 5 * megabyte } }
const mostPageBytes = 128 * 1024
/** Peer dependencies that one entry requires. */
const peers = { 'toolwire/observe': '@opentelemetry/api' }

const room = mkdtempSync(join(tmpdir(), 'toolwire-package-'))
const failures = []
try {
  const library = checkPackage()
  checkGateway([library, checkChecker(library)])
} catch (thrown) {
  failures.push(thrown.message)
} finally {
  rmSync(room, { recursive: true, force: true })
}
if (failures.length > 0) console.error(failures.join('\n'))
console.log(`packages: ${failures.length} failures`)
process.exitCode = failures.length > 0 ? 1 : 0

function checkPackage() {
  const tarball = pack()
  check('publint: the manifest of the library is correct', local('publint/src/cli.js'), ['run', tarball, '--strict'])
  check('attw: types resolve wherever the code resolves', local('@arethetypeswrong/cli/dist/index.js'), [
    tarball,
    '--profile',
    'esm-only',
  ])
  const project = install(tarball)
  checkSize(project, most.toolwire)
  checkExports(project)
  checkDocuments(project)
  checkRoot(project)
  return tarball
}

/** The checker must install and run without the gateway. */
function checkChecker(library) {
  const tarball = pack('check', ['dist/cli.js'])
  check('publint: the manifest of the checker is correct', local('publint/src/cli.js'), ['run', tarball, '--strict'])
  const project = install([library, tarball], 'check')
  checkSize(project, most.check)
  checkProgram(project, 'toolwire-check')
  return tarball
}

/** The program must start when it is installed with the packed library and checker. */
function checkGateway(others) {
  const tarball = pack('gateway', [
    'dist/toolwire.js',
    'dist/store-worker.js',
    'dist/console/index.html',
    'dist/examples/shop.js',
  ])
  check('publint: the manifest of the gateway is correct', local('publint/src/cli.js'), ['run', tarball, '--strict'])
  const project = install([...others, tarball], 'gateway')
  checkProgram(project, 'toolwire')
  checkPage(join(project, 'node_modules/@toolwire/gateway/dist/console'))
}

function checkProgram(project, name) {
  const { status, stdout, stderr } = node([join(project, 'node_modules/.bin', name), '--version'], project)
  if (status !== 0 || !/^\d+\.\d+\.\d+/.test(stdout)) failures.push(`the packed ${name} does not start: ${stdout}${stderr}`)
}

/** Checks the size of the page as browsers fetch it, compressed with Brotli. */
function checkPage(folder) {
  const bytes = filesIn(folder)
    .filter((file) => file.endsWith('.br'))
    .reduce((sum, file) => sum + statSync(file).size, 0)
  console.log(`the console page takes ${kilobytes(bytes)}`)
  if (bytes > mostPageBytes) failures.push(`the console page takes ${kilobytes(bytes)}; the limit is ${kilobytes(mostPageBytes)}`)
}

function pack(name = 'toolwire', more = []) {
  const { stdout } = npm(['pack', '--json', '--pack-destination', room], join(root, 'packages', name))
  const [{ filename, size, files }] = JSON.parse(stdout)
  console.log(`${name}: packed ${files.length} files, ${kilobytes(size)}`)
  for (const needed of ['LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts', ...more]) {
    if (!files.some(({ path }) => path === needed)) failures.push(`the package ${name} lacks ${needed}`)
  }
  return join(room, filename)
}

function install(tarballs, name = 'project') {
  const project = join(room, name)
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  npm(['install', '--prefer-offline', '--no-audit', '--no-fund', ...[tarballs].flat()], project)
  return project
}

function checkSize(project, { packages: mostPackages, bytes: mostBytes }) {
  const modules = join(project, 'node_modules')
  const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'))
  const names = Object.keys(packages)
  const bytes = filesIn(modules).reduce((sum, file) => sum + statSync(file).size, 0)
  console.log(`installs ${names.length} packages, ${kilobytes(bytes)}`)
  if (names.length > mostPackages)
    failures.push(`an install has ${names.length} packages; the limit is ${mostPackages}: ${names.join(', ')}`)
  if (bytes > mostBytes) failures.push(`an install takes ${kilobytes(bytes)}; the limit is ${kilobytes(mostBytes)}`)
}

function checkExports(project) {
  for (const path of importable(project)) {
    if (peers[path]) cpSync(local(peers[path]), join(project, 'node_modules', peers[path]), { recursive: true })
    const { status, stderr } = node(['--input-type=module', '-e', `await import('${path}')`], project)
    if (status !== 0) failures.push(`'${path}' is in exports but cannot be imported: ${stderr}`)
  }
}

/** Checks that everything that the documents import exists. */
function checkDocuments(project) {
  const known = importable(project)
  const documents = [join(root, 'README.md'), ...filesIn(join(root, 'docs')), join(root, 'packages/toolwire/README.md')].filter(
    (file) => file.endsWith('.md'),
  )
  for (const document of documents) {
    for (const [, path] of readText(document).matchAll(/from '(toolwire(?:\/[\w/-]+)?)'/g)) {
      if (!known.includes(path)) failures.push(`${document.slice(root.length + 1)} imports '${path}', which is not in exports`)
    }
  }
}

function checkRoot(project) {
  // The hook sees every module that is resolved, including those of dependencies.
  const hook = `export async function resolve(specifier, context, next) {
    const found = await next(specifier, context)
    if (found.url.startsWith('node:')) throw new Error('loads ' + found.url + ' from ' + context.parentURL.split('/').slice(-3).join('/'))
    return found
  }`
  const code = `import { register } from 'node:module'
    register('data:text/javascript,' + ${JSON.stringify(encodeURIComponent(hook))})
    await import('toolwire')`
  writeFileSync(join(project, 'root.mjs'), code)
  const { status, stderr } = node(['root.mjs'], project)
  if (status === 0) return
  failures.push(
    `the root entry runs on Workers, Deno and Bun, so it must load nothing from node: ${/Error: (.*)/.exec(stderr)?.[1] ?? stderr}`,
  )
}

function importable(project) {
  const { exports } = JSON.parse(readFileSync(join(project, 'node_modules/toolwire/package.json'), 'utf8'))
  return Object.keys(exports)
    .filter((path) => !path.endsWith('.json'))
    .map((path) => `toolwire${path.slice(1)}`)
}

function check(promise, file, args) {
  const { status, stdout, stderr } = node([file, ...args], root)
  if (status !== 0) failures.push(`${promise}\n${stdout}${stderr}`)
}

function npm(args, cwd) {
  const done = spawnSync('npm', args, { cwd, encoding: 'utf8', shell: process.platform === 'win32' })
  if (done.status !== 0) throw new Error(`npm ${args[0]} failed\n${done.stderr ?? done.error?.message}`)
  return done
}

function node(args, cwd) {
  return spawnSync(process.execPath, args, { cwd, encoding: 'utf8' })
}

function local(file) {
  return join(root, 'node_modules', file)
}

function filesIn(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

function readText(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch (thrown) {
    if (thrown.code === 'ENOENT') return ''
    throw thrown
  }
}

function kilobytes(bytes) {
  return `${Math.ceil(bytes / 1024)} kB`
}
