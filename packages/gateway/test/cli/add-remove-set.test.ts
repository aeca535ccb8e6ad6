// toolwire add, remove and set: each changes one part of the config and nothing else.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text contains a variable as typed
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { colouredDiff } from '../../src/cli/servers/edit-config-file.js'
import { serversCommands } from '../../src/cli/specs/servers.js'
import { painter } from '../../src/cli/terminal/terminal.js'
import { readJsonc } from '../../src/config/documents/jsonc.js'
import { commandHere } from '../support/command-here.js'
import { clean, folder, toolwire } from '../support/run-program.js'

const before = `{
  // the servers
  "mcpServers": {
    "shop": { "command": "shop" }, // ours
    "My Notes": { "url": "https://notes.example/mcp" }
  },
  "toolwire": {
    /* settings */
    "servers": { "my-notes": { "trusted": true } }
  }
}
`

function place(text?: string) {
  const files = folder(text === undefined ? {} : { 'mcp.json': text })
  onTestFinished(() => files[Symbol.dispose]())
  mkdirSync(`${files.path}/home`)
  const at = { env: clean(`${files.path}/home`), cwd: files.path }
  const run = (...words: string[]) => toolwire(words, at)
  /** The same in this process, for output that other tests check with the program. */
  const here = (...words: string[]) => commandHere(words, at)
  const read = (name = 'mcp.json') => readFileSync(`${files.path}/${name}`, 'utf8')
  return { path: files.path, run, here, read, value: (name?: string) => readJsonc(read(name)).value }
}

it('import writes nothing that the gateway would reject', async () => {
  const text = '{"mcpServers": {"own": {"command": "x"}}, "toolwire": {"servers": {"own": {"prefix": "docs"}}}}'
  const at = place(text)
  mkdirSync(`${at.path}/home/.cursor`)
  writeFileSync(`${at.path}/home/.cursor/mcp.json`, '{"mcpServers": {"docs": {"command": "x"}}}')
  const { code, stderr } = await at.run('import', 'cursor', '--yes')
  expect([code === 0, stderr]).toEqual([false, expect.stringMatching(/Nothing was written.*has the same prefix/s)])
  expect(at.read()).toBe(text)
})

it('a diff is colored, and shows control characters', () => {
  const paint = painter(true)
  expect(colouredDiff('-a\u001b[2J\n+b\u202e\n c', paint)).toBe(`${paint.red('-a\\u{1b}[2J')}\n${paint.green('+b\\u{202e}')}\n c`)
})

const commentsIn = (text: string) => text.match(/\/\/ [a-z].*|\/\*.*?\*\//g)

describe('add', () => {
  it("puts a command or an address into the gateway's config, keeps comments, and keeps the old file as a backup", async () => {
    const at = place(before)
    const { code, stdout, stderr } = await at.run(
      'add',
      'files',
      '--env',
      'A=b',
      '--env',
      'TOKEN',
      '--',
      'npx',
      '-y',
      'files',
      '/tmp',
    )
    expect([code, stderr]).toEqual([0, expect.stringContaining(`${at.path}/mcp.json; the old file is ${at.path}/mcp.json.`)])
    expect(stdout).toMatch(/^\+.*"files"/m)
    const header = 'Authorization: Bearer ${SHOP_TOKEN}'
    const { backup, warnings } = JSON.parse(
      (await at.here('add', 'far', 'https://far.example/mcp', '--header', header, '--json')).stdout,
    )
    expect(warnings).toEqual([expect.stringMatching(/where it runs.*TOKEN\} is not set/)])
    expect(readJsonc(readFileSync(backup, 'utf8')).value.mcpServers).not.toHaveProperty('far')
    expect(at.value()).toEqual({
      ...readJsonc(before).value,
      mcpServers: {
        shop: { command: 'shop' },
        'My Notes': { url: 'https://notes.example/mcp' },
        files: { command: 'npx', args: ['-y', 'files', '/tmp'], env: { A: 'b', TOKEN: '${TOKEN}' } },
        far: { type: 'http', url: 'https://far.example/mcp', headers: { Authorization: 'Bearer ${SHOP_TOKEN}' } },
      },
    })
    expect(commentsIn(at.read())).toEqual(commentsIn(before))
  })

  it('creates a private user config if there is none, and reads relative paths from the given folder', async () => {
    const at = place()
    writeFileSync(`${at.path}/server.mjs`, '')
    expect((await at.here('add', 'mine', '--', 'node', 'server.mjs')).code).toBe(0)
    const configFile = 'home/.config/toolwire/mcp.json'
    expect(at.value(configFile)).toEqual({ mcpServers: { mine: { command: 'node', args: ['server.mjs'], cwd: at.path } } })
    expect(statSync(`${at.path}/${configFile}`).mode & 0o777).toBe(0o600)
  })

  it('replaces a server only with --replace, under any spelling of its name', async () => {
    const at = place(before)
    expect(await at.here('add', 'my notes', '--', 'x')).toMatchObject({ code: 2, stderr: expect.stringContaining('--replace') })
    expect(at.read()).toBe(before)
    expect((await at.here('add', 'my notes', '--replace', '--', 'x')).code).toBe(0)
    expect(at.value().mcpServers).toEqual({ shop: { command: 'shop' }, 'My Notes': { command: 'x' } })
    expect(commentsIn(at.read())).toEqual(commentsIn(before))
  })

  it.each([
    [['add', 'x'], /no command or address/],
    [['add', 'x', 'nowhere'], /nowhere is not an address/],
    [['add', 'x', 'https://x.example/mcp', '--', 'node'], /not both/],
    [['add', '名', '--', 'node'], /this name gives no id/],
    [['add', 'x', '--env', '1=2', '--', 'node'], /NAME=value/],
    [['add', 'x', '--sse', '--', 'node'], /--sse is for servers with an address/],
    [['add', 'x', '--', 'toolwire', 'up'], /gateway itself/],
  ])('writes nothing for %j', async (words, message) => {
    const at = place(before)
    expect(await at.here(...words)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
    expect([at.read(), readdirSync(at.path).sort()]).toEqual([before, ['home', 'mcp.json']])
  })
})

describe('remove', () => {
  it('removes a server with its settings, and nothing else', async () => {
    const at = place(before)
    const dry = await at.here('remove', 'my-notes', '--dry-run')
    expect([dry.stdout, at.read()]).toEqual([expect.stringMatching(/^-.*My Notes/m), before])
    expect((await at.run('remove', 'my-notes')).code).toBe(0)
    expect(at.value()).toEqual({ mcpServers: { shop: { command: 'shop' } }, toolwire: { servers: {} } })
    expect(commentsIn(at.read())).toEqual(commentsIn(before))
  })

  it('suggests the server that was probably meant', async () => {
    const at = place(before)
    expect(await at.here('remove', 'shp')).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean shop?') })
    expect(await place().here('remove', 'shop')).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no config') })
  })
})

describe('set', () => {
  it('changes one setting, and removes it again', async () => {
    const at = place(before)
    for (const [setting, value] of [
      ['port', '4280'],
      ['guard.rate', '{"calls":120,"per":"minute"}'],
      ['guard.rate.calls', '90'],
      ['toolwire.servers.shop.lazy', 'true'],
      ['/servers/shop/tools/a.b/hidden', 'true'],
      // Digits are a text for a setting of type text.
      ['servers.shop.tools.order.title', '42'],
      ['logLevel', 'debug'],
    ] as const)
      expect([setting, (await at.here('set', setting, value)).code]).toEqual([setting, 0])
    expect(at.value().toolwire).toEqual({
      port: 4280,
      guard: { rate: { calls: 90, per: 'minute' } },
      servers: {
        'my-notes': { trusted: true },
        shop: { lazy: true, tools: { 'a.b': { hidden: true }, order: { title: '42' } } },
      },
      logLevel: 'debug',
    })
    expect((await at.run('set', 'guard', '--unset')).code).toBe(0)
    expect(at.value().toolwire).not.toHaveProperty('guard')
    expect(commentsIn(at.read())).toEqual(commentsIn(before))
  })

  it.each(serversCommands.find(({ name }) => name === 'set')?.examples ?? [])('does what its help shows: %s', async (line) => {
    const at = place('{ "mcpServers": { "files": { "command": "node" } }, "toolwire": { "policy": "old.yaml" } }')
    writeFileSync(`${at.path}/rules.yaml`, 'rules: [{ name: all, decision: ask }]')
    const words = line.replaceAll("'", '').split(' ').slice(1)
    expect(await at.here(...words)).toMatchObject({ code: 0, stdout: expect.stringContaining('@@') })
  })

  it('resolves paths from the current folder, and writes them relative to the config', async () => {
    const at = place()
    mkdirSync(`${at.path}/home/sub`)
    writeFileSync(`${at.path}/home/mcp.json`, '{ "mcpServers": {} }')
    for (const folder of ['', 'home/sub/'])
      writeFileSync(`${at.path}/${folder}rules.yaml`, 'rules: [{ name: all, decision: ask }]')
    const set = (...words: string[]) => at.here('set', ...words, '--config', 'home/mcp.json')
    const settings = () => at.value('home/mcp.json').toolwire
    for (const [setting, value] of [
      ['policy', 'home/sub/rules.yaml'],
      ['dataDir', '~/data'],
      ['witness', '{ "to": "home/heads" }'],
      ['import', '["cursor", "home/more.json"]'],
    ] as const)
      expect([setting, (await set(setting, value)).code]).toEqual([setting, 0])
    const written = { policy: 'sub/rules.yaml', dataDir: '~/data', witness: { to: 'heads' }, import: ['cursor', 'more.json'] }
    expect(settings()).toEqual(written)
    expect((await set('policy', 'rules.yaml')).code).toBe(0)
    expect(settings()).toEqual({ ...written, policy: `${at.path}/rules.yaml` })
  })

  it.each([
    ['nowhere.yaml', /could not use this policy\. .*nowhere\.yaml: cannot be read/],
    ['mcp.json', /could not use this policy\. .*mcp\.json:\d+: /],
  ])('does not set a policy %s', async (file, message) => {
    const at = place(before)
    expect(await at.here('set', 'policy', file)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
    expect(at.read()).toBe(before)
  })

  it.each([
    [['prt', '4280'], /did you mean 'port'/],
    [
      ['guard.rate.cals', '1'],
      /Nothing was written, because the gateway could not use the changed config\. .*did you mean 'calls'/s,
    ],
    [['servers.shp.lazy', 'true'], /there is no server of this name; did you mean 'shop'/],
    [['port', 'many'], /expected an? (integer|number)/],
    [['port.x', '1'], /object/],
    [['host', '0.0.0.0'], /open to everyone/],
    [['port'], /No value is given for port.*--unset/],
    [['port', '1', '--unset'], /--unset removes port, and takes no value/],
    [['', '1'], /The setting is not valid/],
  ])('refuses %j and leaves the file unchanged', async (words, message) => {
    const at = place(before)
    expect(await at.here('set', ...words)).toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
    expect(at.read()).toBe(before)
  })

  it('changes neither TOML nor an invalid file', async () => {
    const at = place(before)
    expect(await at.here('set', 'port', '1', '--config', 'x.toml')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is TOML'),
    })
    writeFileSync(`${at.path}/mcp.json`, '{ "mcpServers": {')
    expect(await at.here('set', 'port', '1')).toMatchObject({ code: 2, stderr: expect.stringContaining('half-written') })
    expect(existsSync(`${at.path}/x.toml`)).toBe(false)
  })
})
