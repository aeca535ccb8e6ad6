// Special files at any configurable path: an error names the path and the reason, without an endless read.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fileStore } from 'toolwire/client/oauth'
import { loadRules, watchRules } from 'toolwire/rules'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eachNth } from '../../../toolwire/test/soak.js'
import { readContent } from '../../src/config/editing/replace-file.js'
import { importServers } from '../../src/config/hosts/import-servers.js'
import { findHosts } from '../../src/config/index.js'
import { configPlaces, loadConfig } from '../../src/config/load-config.js'
import { acceptParts } from '../../src/config/trust/accepted-parts.js'
import { openStore } from '../../src/store/open-store.js'
import { openPostgres } from '../../src/store/postgres/connection.js'
import { shop, toolwire } from '../support/run-program.js'
import { folderForEach } from './config-folder.js'

const folder = folderForEach()

type Kind = { readonly why: RegExp; readonly make: (path: string) => void | Promise<void> }
const kinds: { readonly [kind: string]: Kind } = {
  'a pipe': { why: /pipe/, make: (path) => void execFileSync('mkfifo', [path]) },
  'a folder': { why: /folder/, make: (path) => void mkdirSync(path) },
  'a device without an end': { why: /device/, make: (path) => symlinkSync('/dev/zero', path) },
  'a terminal': { why: /device/, make: (path) => symlinkSync('/dev/ptmx', path) },
  'a socket': {
    why: /socket/,
    async make(path) {
      const server = createServer()
      onTestFinished(() => void server.close())
      // The path of a socket has a length limit.
      const before = process.cwd()
      process.chdir(folder.path)
      await new Promise<void>((resolve) => server.listen(relative(folder.path, path), resolve)).finally(() =>
        process.chdir(before),
      )
    },
  },
  'larger than any': {
    why: /larger than/,
    make(path) {
      writeFileSync(path, '')
      truncateSync(path, 2 ** 40)
    },
  },
  'a link to a pipe': {
    why: /pipe/,
    make(path) {
      execFileSync('mkfifo', [`${path}.pipe`])
      symlinkSync(`${path}.pipe`, path)
    },
  },
}

const server = (more: object) => JSON.stringify({ mcpServers: { s: { command: 'true', ...more } } })
const at = (name: string) => join(folder.path, name)
const load = (text: string) => folder.load(text)

/** Each entry reads the file at a path. */
const readers: { readonly [file: string]: { readonly name: string; readonly read: (path: string) => Promise<unknown> } } = {
  'a config that is named': { name: 'c.json', read: (path) => loadConfig(folder.options({ path })) },
  'a config that is TOML': { name: 'c.toml', read: (path) => loadConfig(folder.options({ path })) },
  'a config whose places are asked for': { name: 'd.json', read: (path) => configPlaces(folder.options({ path })) },
  'a config that is changed': { name: 'e.json', read: (path) => readContent(path) },
  'variables of a server': { name: 'x.env', read: (path) => load(server({ envFile: path })) },
  'an import by its path': {
    name: 'other.json',
    read: async (path) => throwing((await load(JSON.stringify({ toolwire: { import: [path] } }))).warnings.join()),
  },
  'the file of a host': {
    name: 'home/.cursor/mcp.json',
    read: async () => {
      const files = await findHosts({ env: {}, home: at('home'), platform: 'linux', cwd: folder.path })
      return throwing((await importServers(files, folder.path)).problems.join())
    },
  },
  'rules that are loaded': { name: 'p.yaml', read: (path) => loadRules(path) },
  'rules that are watched': { name: 'q.yaml', read: (path) => watchRules(path, { onError: () => undefined }) },
  'tokens of a client': { name: 'tokens.json', read: async (path) => fileStore(path).get('a') },
  'the key of the vault': { name: 'data/vault.key', read: () => openStore(at('data')) },
  'the key of the audit log': { name: 'data2/audit.key', read: () => openStore(at('data2')) },
  'what was accepted': {
    name: 'trust/accepted.json',
    read: (path) => acceptParts(path, [{ file: 'f', digest: 'd' }]),
  },
}

const throwing = (words: string): void => {
  if (words !== '') throw new Error(words)
}

const canBeMade = (kind: string) => (kind === 'a terminal' ? existsSync('/dev/ptmx') : true)

describe.skipIf(process.platform === 'win32').each(eachNth(Object.keys(kinds).filter(canBeMade), 2))(
  'where there is %s',
  (kind) => {
    it.each(Object.keys(readers))('%s reports it', async (file) => {
      const { name = '', read } = readers[file] ?? {}
      const path = at(name)
      mkdirSync(join(path, '..'), { recursive: true })
      await kinds[kind]?.make(path)
      const before = process.memoryUsage().rss
      const thrown: unknown = await read?.(path).then(
        () => undefined,
        (why: unknown) => why,
      )
      const { message } = thrown as Error // otherwise the next assertion fails
      expect(message).toMatch(kinds[kind]?.why ?? /^$/)
      expect(message).toContain(name.split('/').at(-1))
      expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024)
    })
  },
)

describe.skipIf(process.platform === 'win32')('commands with a path', () => {
  const commands = [
    ['up', 'P'],
    ['up', '--policy', 'P'],
    ['audit', 'verify', '--file', 'P'],
    ['policy', 'test', 'P'],
    ['policy', 'test', 'P', '--gateway', 'http://127.0.0.1:9'],
    ['call', 'search', '--input', '@P', ...shop],
    ['call', 'search', 'query=@P', ...shop],
    ['approve', 'x', '--always', '--arguments', '@P'],
    ['import', '--config', 'P'],
    ['add', 'x', '--config', 'P', '--', 'true'],
    ['trust', 'P'],
    ['doctor', '--offline', '--config', 'P'],
  ]

  it.each(eachNth(commands, 2))('%s %s exit with an error', async (...words) => {
    const path = at('endless')
    symlinkSync('/dev/zero', path)
    const args = words.map((word) => word.replace(/^(@|query=@)?P$/, `$1${path}`))
    const env = { PATH: process.env.PATH, HOME: folder.path, TOOLWIRE_URL: 'http://127.0.0.1:9' }
    const { code, stdout, stderr } = await toolwire([...args], { cwd: folder.path, env })
    expect([code, stdout + stderr]).toEqual([expect.any(Number), expect.stringMatching(/endless.*is a device/)])
    expect(code).not.toBe(0)
  })
})

describe.skipIf(process.platform === 'win32')('a pipe in place of a file that a command looks for', () => {
  const env = { PATH: process.env.PATH, TOOLWIRE_URL: 'http://127.0.0.1:9' }

  it.each(['management.token', 'gateways/9'])('is no %s', async (name) => {
    const path = join(folder.path, 'home/.local/share/toolwire', name)
    mkdirSync(join(path, '..'), { recursive: true })
    execFileSync('mkfifo', [path])
    const { code, stderr } = await toolwire(['status'], { cwd: folder.path, env: { ...env, HOME: at('home') } })
    expect([code, stderr]).toEqual([4, expect.stringContaining('No gateway answers')])
  })

  it.each([
    ['sslrootcert', 'a certificate as PEM'],
    ['sslcert', 'a certificate as PEM'],
    ['sslkey', 'a private key as PEM, without a password'],
  ])('is no %s of PostgreSQL, and neither is another text', async (name, form) => {
    execFileSync('mkfifo', [at('file.pem')])
    writeFileSync(at('text.pem'), 'x')
    const opening = (file: string) =>
      openPostgres(`postgres://u@127.0.0.1:9/x?sslmode=verify-full&${name}=${at(file)}`, () => undefined)
    const start = `The ${name} in the address of PostgreSQL`
    await expect(opening('file.pem')).rejects.toThrow(`${start} cannot be read: ${at('file.pem')} is a pipe`)
    await expect(opening('text.pem')).rejects.toThrow(`${start} must be ${form}, and ${at('text.pem')} is not`)
  })
})

describe('the sources', () => {
  const root = fileURLToPath(new URL('../../../', import.meta.url))
  /** The shared reader, and files that no config names. */
  const allowed: { readonly [file: string]: string } = {
    'toolwire/src/json/regular-file.ts': 'the reader',
    'gateway/src/store/data-directory.ts': 'makes files of its own, and reads small regular ones, to a bound',
    'gateway/src/lifecycle/version.ts': 'the package’s own version',
    'gateway/src/console/assets.ts': 'the page, as it comes with the package',
    'gateway/src/cli/doctor/check-callers.ts': 'the accounts of the machine',
    'gateway/src/config/servers/file-hash.ts': 'reads regular files alone, in pieces, and no further than a bound',
    'gateway/src/store/postgres/spool/spool-file.ts': 'files of its own, which the gateway has written',
    'gateway/src/store/copy/restore-log.ts': 'an export that it has just written',
    'gateway/src/config/editing/replace-file.ts': 'makes new files: flag wx',
  }
  const reading =
    /(?<![.\w])(readFile|readFileSync|createReadStream|openSync|openAsBlob)\(|(?<![.\w])open\(\w+, ['"c]|\* as \w+ from 'node:fs/

  it('read the files of people and configs with one reader', () => {
    const found = ['toolwire', 'gateway'].flatMap((name) =>
      readdirSync(join(root, name, 'src'), { recursive: true, encoding: 'utf8' })
        .map((file) => `${name}/src/${file}`)
        .filter((file) => file.endsWith('.ts') && reading.test(readFileSync(join(root, file), 'utf8'))),
    )
    expect(found.sort()).toEqual(Object.keys(allowed).sort())
  })
})
