// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text contains a variable of a config
import { chmod, lstat, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { watchLoop } from '../../../toolwire/test/loop-watch.js'
import { readJsonc } from '../../src/config/documents/jsonc.js'
import { readToml } from '../../src/config/documents/toml.js'
import { ConfigText } from '../../src/config/editing/config-text.js'
import { removeFromJson, setInJson } from '../../src/config/editing/edit-json.js'
import { removeFromToml, setInToml } from '../../src/config/editing/edit-toml.js'
import { connectHost, findHosts, type HostId, importServers, type Machine } from '../../src/config/index.js'
import { folderForEach } from './config-folder.js'

const folder = folderForEach()
const machine = (more: Partial<Machine> = {}): Machine => ({
  home: folder.at('home'),
  cwd: folder.at('work'),
  platform: 'linux',
  env: {},
  ...more,
})
const fileOf = async (id: HostId, scope = 'user') => {
  const found = (await findHosts(machine())).find(({ host, scope: at }) => host.id === id && at === scope)
  if (!found) throw new Error(`no ${id}`)
  return found
}
const url = 'http://127.0.0.1:4180/mcp'

describe('the config of a host', () => {
  it.each([
    ['darwin', {}, 'claude-desktop', 'home/Library/Application Support/Claude/claude_desktop_config.json'],
    ['linux', {}, 'claude-desktop', 'home/.config/Claude/claude_desktop_config.json'],
    ['win32', {}, 'claude-desktop', 'home/AppData/Roaming/Claude/claude_desktop_config.json'],
    ['darwin', {}, 'vscode', 'home/Library/Application Support/Code/User/mcp.json'],
    ['linux', {}, 'vscode', 'home/.config/Code/User/mcp.json'],
    ['win32', {}, 'vscode', 'home/AppData/Roaming/Code/User/mcp.json'],
    ['linux', {}, 'claude-code', 'home/.claude.json'],
    ['linux', {}, 'cursor', 'home/.cursor/mcp.json'],
    ['linux', {}, 'codex', 'home/.codex/config.toml'],
    ['linux', {}, 'gemini', 'home/.gemini/settings.json'],
    ['win32', {}, 'windsurf', 'home/.codeium/windsurf/mcp_config.json'],
    ['linux', { CODEX_HOME: 'c' }, 'codex', 'c/config.toml'],
    ['linux', { CLAUDE_CONFIG_DIR: 'c' }, 'claude-code', 'c/.claude.json'],
    ['linux', { XDG_CONFIG_HOME: 'c' }, 'vscode', 'c/Code/User/mcp.json'],
    ['win32', { APPDATA: 'c' }, 'claude-desktop', 'c/Claude/claude_desktop_config.json'],
  ])('is on %s with %j, for %s, in %s', async (platform, given, id, place) => {
    const path = await folder.write(place, '{}')
    const env = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, folder.at(String(value))]))
    const files = await findHosts(machine({ platform: platform as NodeJS.Platform, env }))
    expect(files.filter(({ found }) => found)).toMatchObject([{ host: { id }, scope: 'user', path }])
  })

  it('may be in a project, too', async () => {
    for (const place of ['.mcp.json', '.cursor/mcp.json', '.vscode/mcp.json', '.codex/config.toml', '.gemini/settings.json'])
      await folder.write(`work/${place}`, '')
    const files = (await findHosts(machine())).filter(({ found }) => found)
    expect(files.map(({ host, scope }) => `${host.id} ${scope}`)).toEqual(
      ['claude-code', 'cursor', 'vscode', 'codex', 'gemini'].map((id) => `${id} project`),
    )
  })
})

describe('importing', () => {
  it('merges the servers of all hosts, and reports conflicts and unusable entries', async () => {
    await folder.write('home/.config/Claude/claude_desktop_config.json', {
      mcpServers: { files: { command: 'npx', args: ['files'] } },
    })
    await folder.write('home/.claude.json', {
      mcpServers: { Files: { command: 'npx', args: ['files'] }, toolwire: { type: 'http', url } },
      projects: {
        [folder.at('work')]: { mcpServers: { local: { command: 'l' } } },
        '/other': { mcpServers: { other: { command: 'o' } } },
      },
    })
    await folder.write('home/.cursor/mcp.json', { mcpServers: { files: { command: 'other' }, 名: { command: 'x' } } })
    await folder.write('home/.config/Code/User/mcp.json', '{ "servers": {')
    await folder.write(
      'home/.codex/config.toml',
      '[mcp_servers.shop]\nurl = "https://s.example/mcp"\nbearer_token_env_var = "T"\n',
    )
    await folder.write(
      'home/.gemini/settings.json',
      '{ // mine\n"mcpServers": { "g": { "httpUrl": "$G_URL" }, "off": { "command": "x", "env": {"A": "$B"} } }, "mcp": { "excluded": ["off"] } }',
    )
    await folder.write('home/.codeium/windsurf/mcp_config.json', {
      mcpServers: { w: { serverUrl: 'https://w.example/sse', headers: { A: '${env:B}' } } },
    })
    const { servers, conflicts, problems } = await importServers(await findHosts(machine()), folder.at('work'))
    expect(Object.fromEntries(servers.map(({ id, entry }) => [id, entry]))).toEqual({
      files: { command: 'npx', args: ['files'] },
      local: { command: 'l' },
      shop: { type: 'http', url: 'https://s.example/mcp', headers: { Authorization: 'Bearer ${T}' } },
      g: { type: 'http', url: '${G_URL}' },
      off: { command: 'x', env: { A: '${B}' }, disabled: true },
      w: { type: 'sse', url: 'https://w.example/sse', headers: { A: '${env:B}' } },
    })
    expect(conflicts).toMatchObject([
      { id: 'files', taken: { host: { id: 'claude-desktop' } }, left: { host: { id: 'cursor' } } },
    ])
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(/\.cursor\/mcp\.json: \/mcpServers\/名: this name gives no id/),
      expect.stringMatching(/Code\/User\/mcp\.json:1: .*half-written/),
    ])
  })

  it('writes a config that is read with the same meaning', async () => {
    await folder.write(
      'home/.codex/config.toml',
      '[mcp_servers.a]\ncommand = "x"\nenv_vars = ["V"]\ntool_timeout_sec = 5\nenabled_tools = ["t"]\ndisabled_tools = ["u"]\n',
    )
    const { servers } = await importServers(await findHosts(machine()), folder.at('work'))
    const mcpServers = Object.fromEntries(servers.map(({ id, entry }) => [id, entry]))
    const { upstreams } = await folder.load({ mcpServers }, { env: { V: '1' } })
    expect(upstreams).toMatchObject([
      { target: { env: { V: '1' } }, timeout: { totalMs: 5_000 }, only: ['t'], tools: { u: { hidden: true } } },
    ])
  })

  it("as a setting prefers the gateway's own servers, and skips unusable ones with a warning", async () => {
    await folder.write('home/.cursor/mcp.json', {
      mcpServers: { a: { command: 'theirs' }, b: { command: 'b' }, c: { command: '${NONE}' }, me: { url }, d: {} },
    })
    await folder.write('team.json', { mcpServers: { t: { command: 't' } } })
    await folder.write('broken.json', '{')
    const toolwire = { import: ['cursor', 'gemini', './team.json', './broken.json'], servers: { b: { lazy: true } } }
    const { upstreams, warnings, files } = await folder.load({ mcpServers: { a: { command: 'ours' } }, toolwire })
    expect(upstreams.map(({ id, lazy }) => [id, lazy])).toEqual([
      ['a', false],
      ['b', true],
      ['t', false],
    ])
    const read = ['mcp.json', 'home/.cursor/mcp.json', 'home/.gemini/settings.json', 'team.json', 'broken.json']
    expect(files).toEqual(expect.arrayContaining(read.map((name) => folder.at(name))))
    expect(warnings.join('\n')).toMatch(
      /d: this server has neither a `command` nor a `url`.*left out[\s\S]*broken\.json:1: .*left out/,
    )
    await folder.write('home/.cursor/mcp.json', {
      mcpServers: { a: { command: 'theirs' }, b: { command: 'b' }, c: { command: '${NONE}' }, me: { url } },
    })
    const again = await folder.load({ mcpServers: { a: { command: 'ours' } }, toolwire: { ...toolwire, import: ['cursor'] } })
    expect(again.upstreams.map(({ id, lazy }) => [id, lazy])).toEqual([
      ['a', false],
      ['b', true],
    ])
    expect(again.warnings).toMatchObject([
      expect.stringMatching(/there is a server a already/),
      expect.stringMatching(/\$\{NONE\} is not set/),
      expect.stringMatching(/gateway itself/),
    ])
  })
})

describe('servers that another program adds or removes', () => {
  const user = (...names: string[]) => ({ mcpServers: Object.fromEntries(names.map((name) => [name, { command: 'x' }])) })

  it.each<[string, object, readonly string[]]>([
    ['the prefix of an own server', { own: { prefix: 'docs' } }, ['own']],
    ['any, beside a server without a prefix', { own: { prefix: false } }, ['own']],
    ['the prefix of another one', { docs: { prefix: 'more' } }, ['own', 'docs']],
  ])('are skipped with a warning if they would take %s', async (_, servers, used) => {
    await folder.write('home/.cursor/mcp.json', user('docs', ...('docs' in servers ? ['more'] : [])))
    const { upstreams, warnings } = await folder.load({
      mcpServers: { own: { command: 'x' } },
      toolwire: { import: ['cursor'], servers },
    })
    expect(upstreams.map(({ id }) => id)).toEqual(used)
    expect(warnings.join()).toMatch(/(same prefix|no prefix).*left out/)
  })

  it('may have settings that resemble the name of another server, and then disappear', async () => {
    const servers = { docs1: { lazy: true }, docs2: { lazy: true } }
    const load = () => folder.load({ mcpServers: { docs1: { command: 'x' } }, toolwire: { import: ['cursor'], servers } })
    await folder.write('home/.cursor/mcp.json', user('docs2', 'docs3'))
    expect((await load()).upstreams.map(({ id, lazy }) => [id, lazy])).toEqual([
      ['docs1', true],
      ['docs2', true],
      ['docs3', false],
    ])
    await folder.write('home/.cursor/mcp.json', user('docs3'))
    const { upstreams, warnings } = await load()
    expect(upstreams.map(({ id }) => id)).toEqual(['docs1', 'docs3'])
    expect(warnings.join()).toContain('there is no server of this name')
  })
})

describe('a file beyond the usual size limit', () => {
  const filler = '1,'.repeat(2 * 1024 * 1024)
  const large = `{"mcpServers": {"a": {"command": "x"}, "b": {}}, "history": [${filler}1]}`
  const imported = async () =>
    await folder.load({ toolwire: { import: ['claude-code', './path.json'] } }, { cwd: folder.at('work') })

  it("is read at once if it is the user's plain JSON with a history, and refused in a project", async () => {
    watchLoop()
    await folder.write('home/.claude.json', large)
    await folder.write('work/.mcp.json', large.replace('"a"', '"of-project"'))
    await folder.write('path.json', large.replace('"a"', '"of-path"'))
    const { upstreams, warnings } = await imported()
    expect(upstreams.map(({ id }) => id)).toEqual(['a'])
    expect(warnings.filter((line) => line.includes('larger than 4194304 bytes'))).toHaveLength(2)
    expect(warnings.join()).toMatch(/\.claude\.json: \/mcpServers\/b: this server has neither/)
    await folder.write('home/.claude.json', large.replace('"history"', '/* */ "history"'))
    const again = await imported()
    expect(again.upstreams).toEqual([])
    expect(again.warnings.join()).toMatch(/larger than 4194304 characters, and not plain JSON/)
  })
})

describe('connecting', () => {
  it.each([
    ['claude-code', { type: 'http', url }],
    ['cursor', { url }],
    ['vscode', { type: 'http', url }],
    ['gemini', { httpUrl: url }],
    ['windsurf', { serverUrl: url }],
    ['codex', { url }],
  ] as const)('%s gets an entry in its format, also in a new file', async (id, entry) => {
    const file = await fileOf(id)
    const { text, backup, changed } = await connectHost(file, { url })
    expect(await readFile(file.path, 'utf8')).toBe(text)
    expect([backup, changed]).toEqual([undefined, true])
    const { value } = id === 'codex' ? readToml(text) : readJsonc(text)
    expect(value).toEqual({ [file.host.key]: { toolwire: entry } })
    expect((await stat(file.path)).mode & 0o777).toBe(0o600)
    expect((await importServers(await findHosts(machine()), '')).problems).toEqual([])
  })

  it('Claude Desktop needs a command, and the error says so', async () => {
    const file = await fileOf('claude-desktop')
    await expect(connectHost(file, { url })).rejects.toThrow(
      /Claude Desktop can only start servers as commands; connect it with a command/,
    )
    const { text } = await connectHost(file, { command: 'npx', args: ['-y', '@toolwire/gateway', 'up', '--stdio'] })
    expect(JSON.parse(text)).toEqual({
      mcpServers: { toolwire: { command: 'npx', args: ['-y', '@toolwire/gateway', 'up', '--stdio'] } },
    })
  })

  it('preserves the rest of the file, keeps a backup, and changes nothing the second time', async () => {
    const before =
      '// mine\n{\n\t"servers": {\n\t\t"a": { "command": "x" }, // keep\n\t\t/* and this */\n\t},\n\t"inputs": [],\n}\n'
    const file = await fileOf('vscode')
    await folder.write('home/.config/Code/User/mcp.json', before)
    await chmod(file.path, 0o640)
    const { text, backup } = await connectHost(file, { url })
    expect(text).toBe(
      `// mine\n{\n\t"servers": {\n\t\t"a": { "command": "x" }, // keep\n\t\t/* and this */\n\t\t"toolwire": {\n\t\t\t"type": "http",\n\t\t\t"url": "${url}"\n\t\t}\n\t},\n\t"inputs": [],\n}\n`,
    )
    expect(backup?.slice(file.path.length)).toMatch(/^\.\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z\.bak$/)
    expect(await readFile(backup ?? '', 'utf8')).toBe(before)
    for (const path of [file.path, backup ?? '']) expect((await stat(path)).mode & 0o777).toBe(0o640)
    expect(await connectHost(file, { url })).toMatchObject({ changed: false, diff: '', backup: undefined })
    expect(await readdir(folder.at('home/.config/Code/User'))).toHaveLength(2)
  })

  it('writes nothing in a dry run, and shows the change without secrets', async () => {
    const before =
      '{\n  "mcpServers": {\n    "a": { "url": "https://a.example", "headers": { "Authorization": "Bearer hunter2-hunter2" } }\n  }\n}\n'
    const file = await fileOf('cursor')
    await folder.write('home/.cursor/mcp.json', before)
    const { diff } = await connectHost(file, { url }, { dryRun: true })
    expect(await readFile(file.path, 'utf8')).toBe(before)
    expect(await readdir(folder.at('home/.cursor'))).toEqual(['mcp.json'])
    expect(diff).toContain(`+      "url": "${url}"`)
    expect(diff).toMatch(/^@@ line 1 @@\n {/)
    expect(diff).not.toContain('hunter2')
  })

  it('follows a symbolic link, and keeps it', async () => {
    const real = await folder.write('dotfiles/cursor.json', '{"mcpServers": {"a": {"command": "x"}}}')
    const file = await fileOf('cursor')
    await folder.write('home/.cursor/other', '')
    await symlink(real, file.path)
    await connectHost(file, { url })
    expect((await lstat(file.path)).isSymbolicLink()).toBe(true)
    expect(JSON.parse(await readFile(real, 'utf8'))).toEqual({ mcpServers: { a: { command: 'x' }, toolwire: { url } } })
  })

  it.each([
    ['{ "mcpServers": [] }', /mcp\.json:1: an object is expected here/],
    ['{ "mcpServers": {', /half-written/],
    ['[]', /an object is expected/],
  ])('does not touch an invalid file: %j', async (before, message) => {
    const file = await fileOf('cursor')
    await folder.write('home/.cursor/mcp.json', before)
    await expect(connectHost(file, { url })).rejects.toThrow(message)
    expect(await readFile(file.path, 'utf8')).toBe(before)
    expect(await readdir(folder.at('home/.cursor'))).toEqual(['mcp.json'])
  })

  it('keeps a byte order mark', async () => {
    const file = await fileOf('cursor')
    await folder.write('home/.cursor/mcp.json', '\ufeff{}')
    expect((await connectHost(file, { url })).text).toMatch(/^\ufeff{/)
  })

  it('replaces an old entry', () => {
    const before =
      '# top\nmodel = "o3"\n\n[mcp_servers.toolwire]\nurl = "http://old"\n[mcp_servers.toolwire.http_headers]\nA = "1"\n\n# about b\n[mcp_servers.b]\ncommand = "x" # yes\n'
    const config = new ConfigText('config.toml', before)
    config.set(['mcp_servers', 'toolwire'], { command: 'toolwire', args: ['up', '--stdio'], env: { 'A.B': 'c"d' } })
    expect(config.text).toBe(
      '# top\nmodel = "o3"\n\n[mcp_servers.toolwire]\ncommand = "toolwire"\nargs = ["up", "--stdio"]\n\n[mcp_servers.toolwire.env]\n"A.B" = "c\\"d"\n\n# about b\n[mcp_servers.b]\ncommand = "x" # yes\n',
    )
  })

  it.each([
    'mcp_servers = { toolwire = { url = "x" } }\n',
    'mcp_servers.toolwire.url = "x"\n',
    '[mcp_servers]\ntoolwire = { url = "x" }\n',
  ])('asks for help if Codex has the entry in another form: %j', async (before) => {
    await folder.write('home/.codex/config.toml', before)
    await expect(connectHost(await fileOf('codex'), { url })).rejects.toThrow(
      /config\.toml:\d: .*write it as \[mcp_servers\.toolwire\]/,
    )
  })
})

describe('a value set in a text', () => {
  const layouts = [
    '{}',
    '{ }',
    '{\n}',
    '{\n  // c\n}',
    '{"a": 1}',
    '{ "a": 1, }',
    '{\n  "a": 1 // c\n}',
    '{\r\n  "a": 1,\r\n}\r\n',
    '{"m": {}}',
    '{"m": {"x": {"y": 1}}}',
    '{\n "m": { /* c */ }\n}',
    '{\n\t"m": {\n\t\t"s": "old" // c, }\n\t}, // d\n\t"z": [1, 2]\n}',
    '{"m": {"s": [1,\n2]}}',
    '{"a": "}", "m": {"b": "//"}}',
    '{ /* c */ }',
    '{"a": 1 /* , */}',
  ]
  it.each(layouts)('leaves the rest of %j unchanged', (text) => {
    const value = { command: 'x', args: ['a', 'b'] }
    const after = setInJson(text, ['m', 's'], value)
    const before = readJsonc(text).value as { m?: object }
    expect(readJsonc(after).value).toEqual({ ...before, m: { ...before.m, s: value } })
    const comments = (source: string) => source.match(/\/\/ [a-z].*|\/\* .*? \*\//g) ?? []
    expect(comments(after)).toEqual(comments(text))
    expect(setInJson(after, ['m', 's'], value)).toBe(after)
    if (text.includes('\r\n')) expect(after.replaceAll('\r\n', '')).not.toContain('\n')
  })

  it('is the only change, whatever else the text contains', () => {
    const indents = fc.constantFrom(undefined, 1, 2, '\t')
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.dictionary(fc.string(), fc.jsonValue()),
        indents,
        (outer, m, indent) => {
          const config = JSON.parse(JSON.stringify({ ...outer, m }))
          const after = setInJson(JSON.stringify(config, undefined, indent), ['m', 's'], { k: [1] })
          expect(readJsonc(after).value).toEqual({ ...config, m: { ...config.m, s: { k: [1] } } })
        },
      ),
    )
  })

  it('goes to the end of a TOML text, or replaces the old value', () => {
    const texts = [
      '',
      'a = 1',
      'a = 1\n',
      '[x]\ny = 1\n',
      '[[x]]\ny = 1\n[[x]]\n',
      '[m.s]\nold = 1\n',
      '[m.s.deep]\nold = 1\n[z]\na = 1\n',
      '[m]\nother = 1\n[m.t]\na = "[m.s]"\n',
      "a = '''\n[m.s]\n'''\n",
    ]
    for (const text of texts) {
      const after = setInToml(text, ['m', 's'], { k: 'v', e: { f: 'g' } })
      const before = readToml(text).value as { m?: object }
      expect(readToml(after).value).toEqual({ ...before, m: { ...before.m, s: { k: 'v', e: { f: 'g' } } } })
      expect(setInToml(after, ['m', 's'], { k: 'v', e: { f: 'g' } })).toBe(after)
    }
  })
})

describe('a value removed from a text', () => {
  it.each([
    ['{"a": 1, "b": 2}', '{ "b": 2}', 'a'],
    ['{ "a": 1, "b": 2 }', '{ "a": 1 }', 'b'],
    ['{ "a": 1 }', '{ }', 'a'],
    ['{\n  "a": 1, // c\n  "b": 2\n}\n', '{\n  // c\n  "b": 2\n}\n', 'a'],
    ['{\n  // c\n  "a": 1,\n  "b": 2\n}\n', '{\n  // c\n  "a": 1\n}\n', 'b'],
    ['{\n  "a": 1, // , c\n  "b": { "x": [1,\n 2] } // d\n}\n', '{\n  "a": 1 // , c\n  // d\n}\n', 'b'],
    ['{\r\n\t"a": 1,\r\n\t"b": 2,\r\n}', '{\r\n\t"a": 1,\r\n}', 'b'],
    ['{"a": 1 /* , */ , "b": 2}', '{ /* , */ "b": 2}', 'a'],
    ['{"a": "}", "b": ",//"}', '{"a": "}"}', 'b'],
    ['{"a": 1}', '{"a": 1}', 'z'],
  ])('turns %j into %j', (text, expected, key) => {
    const after = removeFromJson(text, [key])
    expect(after).toBe(expected)
    const { [key]: _, ...rest } = readJsonc(text).value
    expect(readJsonc(after).value).toEqual(rest)
  })

  it('is the only change, whatever else the text contains', () => {
    const indents = fc.constantFrom(undefined, 1, 2, '\t')
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.nat(), indents, (given, which, indent) => {
        const m = JSON.parse(JSON.stringify(given))
        const keys = Object.keys(m)
        const key = keys[which % keys.length] ?? ''
        const after = removeFromJson(JSON.stringify({ m, z: 1 }, undefined, indent), ['m', key])
        expect(readJsonc(after).value).toEqual({
          m: Object.fromEntries(Object.entries(m).filter(([name]) => name !== key)),
          z: 1,
        })
      }),
    )
  })

  it('is removed from TOML with its tables, and refused in another form', () => {
    const text = '# top\n[m.a]\nx = 1 # c\n[m.a.deep]\ny = 2\n\n# about b\n[m.b]\nz = 3\n'
    expect(removeFromToml(text, ['m', 'a'])).toBe('# top\n\n# about b\n[m.b]\nz = 3\n')
    expect(removeFromToml(text, ['m', 'b'])).toBe('# top\n[m.a]\nx = 1 # c\n[m.a.deep]\ny = 2\n\n# about b\n')
    expect(() => removeFromToml('[m]\na = { x = 1 }\n', ['m', 'a'])).toThrow(/write it as \[m\.a\]/)
    expect(removeFromToml(text, ['m', 'z'])).toBe(text)
  })
})

describe('a file to be replaced', () => {
  it('is left alone if another program has written it meanwhile', async () => {
    const { replaceFile } = await import('../../src/config/editing/replace-file.js')
    const path = await folder.write('x.json', 'theirs')
    await expect(replaceFile(path, 'as it was', 'ours')).rejects.toThrow(/x\.json: was changed by another program/)
    expect(await readFile(path, 'utf8')).toBe('theirs')
    expect(await readdir(folder.path)).toEqual(['x.json'])
    await writeFile(path, 'as it was')
    await replaceFile(path, 'as it was', 'ours')
    expect(await readFile(path, 'utf8')).toBe('ours')
  })

  it('is replaced by one of the writers that read the same content', async () => {
    const { replaceFile } = await import('../../src/config/editing/replace-file.js')
    const path = await folder.write('x.json', 'as it was')
    const texts = Array.from({ length: 16 }, (_, at) => `by ${at}`)
    const done = await Promise.allSettled(texts.map((text) => replaceFile(path, 'as it was', text)))
    const written = texts.filter((_, at) => done[at]?.status === 'fulfilled')
    expect(written).toEqual([await readFile(path, 'utf8')])
    expect(await readdir(folder.path)).toEqual(['x.json'])
  })

  it('is compared once no other process writes it', async () => {
    const { replaceFile } = await import('../../src/config/editing/replace-file.js')
    const path = await folder.write('x.json', 'as it was')
    const lock = await folder.write('x.json.toolwire-lock', '')
    const replacing = replaceFile(path, 'as it was', 'ours').catch(String)
    await vi.waitFor(async () => expect(await readdir(folder.path)).toHaveLength(3), 60_000)
    await writeFile(path, 'theirs')
    await rm(lock)
    expect(await replacing).toMatch(/was changed by another program/)
    expect(await readFile(path, 'utf8')).toBe('theirs')
  })
})
