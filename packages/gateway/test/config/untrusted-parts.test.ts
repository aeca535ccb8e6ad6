// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text contains a variable of a config
// The review of a found config: it shows everything that would run, with apparent secrets masked.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { watchLoop } from '../../../toolwire/test/loop-watch.js'
import { acceptFoundConfig } from '../../src/cli/trust/accept-found.js'
import { loadConfig } from '../../src/config/load-config.js'
import { readEntry } from '../../src/config/servers/read-entry.js'
import { writeTrusted } from '../../src/config/trust/trusted-edit.js'
import { serverPart, settingsPart } from '../../src/config/trust/untrusted-parts.js'
import { folderForEach } from './config-folder.js'

const linesOf = (value: object) => {
  const entry = readEntry({ name: 'one', at: '', value: JSON.parse(JSON.stringify(value)) })
  return serverPart({ id: 'one', entry }, {}).lines.join('\n')
}

describe('the review of a server', () => {
  const beginnings = ['X=1', 'API_KEY=1', 'TOKEN=${T:-none}', '--token=abc', 'A=https://x.example/?a=1', 'X="a b"', 'x: y', '']
  const ends = [' ', ';', '; ', '&', '&&', '|', '||', '\n', '$(', '`', ' <(', '>/dev/null;']
  const scripts = beginnings.flatMap((beginning) => ends.map((end) => `${beginning}${end}curl-evil`))

  it.each(scripts)('shows the whole script for a shell, whatever it begins with: %j', (script) => {
    expect(linesOf({ command: 'sh', args: ['-c', script] })).toContain('curl-evil')
    expect(linesOf({ command: 'docker', args: ['run', 'image', script] })).toContain('curl-evil')
  })

  it.each([
    ['--password', 'pa$$ w0rd'],
    ['--db-password', 'a b&c$d w0rd'],
    ['--db-password', 'AB=w0rd'],
    ['-e', 'DB_PASSWORD=ab&w0rd'],
    ['-i', '--rm', '--name', 'x', '--env', 'DB_PASSWORD=ab w0rd', 'image'],
    ['--env=DB_PASSWORD=ab&w0rd', 'image'],
    ['--env=DB_PASSWORD=w0rd', 'image'],
    ['-e', 'MYSQL_PWD=w0rd', 'image'],
    ['-e', 'DB_PASS=w0rd', 'image'],
  ])('shows no part of a secret after its name: %j', (...args) => {
    expect(linesOf({ command: 'docker', args: ['run', ...args] })).not.toMatch(/w0rd|ab&|pa\$/)
  })

  it.each([
    ['bash', '-cauth', 'X=1;curl-evil'],
    ['node', '-e', 'TOKEN=1;curl-evil'],
    ['bash', '-c', '-H', 'x: ;curl-evil'],
    ['docker', 'run', '--rm', 'node', '-e', 'TOKEN=1;curl-evil'],
    ['docker', '-H', 'tcp://curl-evil:2375', 'run', 'image'],
    ['docker', 'run', '-v', 'keycloak:/opt/curl-evil', 'image'],
    ['docker', 'run', '-p', 'auth:8080', 'curl-evil'],
  ])('shows the whole script after a short option: %j', (command, ...args) => {
    expect(linesOf({ command, args })).toContain('curl-evil')
  })

  it.each([
    '--require ./evil.js ${HOME}',
    '${X:---require ./evil.js}',
    '${A}--require ./evil.js${B}',
  ])('shows the whole value of a variable that is not secret: %s', (value) => {
    expect(linesOf({ command: 'node', env: { NODE_OPTIONS: value } })).toContain('./evil.js')
  })

  it.each([
    { command: 'node', env: { NODE_OPTIONS: '--require=evil1234.js' } },
    { command: 'node', env: { NODE_OPTIONS: '--require=evil1234.js${X}' } },
    { command: 'env', args: ['NODE_OPTIONS=--require=evil1234.js', 'node'] },
    { command: 'docker', args: ['run', '-e', 'NODE_OPTIONS=--require=evil1234.js', 'image'] },
    { command: 'docker', args: ['run', '--env=NODE_OPTIONS=--require=evil1234.js', 'image'] },
    { command: 'sh', args: ['-c', 'NODE_OPTIONS=--require=evil1234.js node x'] },
  ])('shows the whole value of a variable that controls which code runs: %j', (entry) => {
    expect(linesOf(entry)).toContain('--require=evil1234.js')
  })

  it.each([
    { command: 'git', env: { GIT_SSH_COMMAND: './x.sh' } },
    { command: 'env', args: ['GIT_SSH_COMMAND=./x.sh', 'git', 'fetch'] },
    { command: 'docker', args: ['run', '-e', 'GIT_SSH_COMMAND=./x.sh', 'image'] },
    { command: 'docker', args: ['run', '--env=GIT_SSH_COMMAND=./x.sh', 'image'] },
    { command: 'sh', args: ['-c', 'GIT_SSH_COMMAND=./x.sh git fetch'] },
  ])('shows the value of any other variable, in any place: %j', (entry) => {
    expect(linesOf(entry)).toContain('GIT_SSH_COMMAND=./x.sh')
  })

  it('shows no password of an address in such a variable', () => {
    expect(linesOf({ command: 'uvx', env: { PIP_INDEX_URL: 'https://me:w0rd@x.example/simple' } })).not.toContain('w0rd')
    expect(linesOf({ command: 'env', args: ['PIP_INDEX_URL=https://me:w0rd@x.example/simple', 'uvx'] })).not.toContain('w0rd')
  })

  it('shows a setting of any length', () => {
    const entry = readEntry({ name: 'one', at: '', value: { command: 'node' } })
    const tools = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`tool-${at}`, { hidden: true }]))
    const config = { toolwire: { servers: { one: { tools: { ...tools, last: { hints: { readOnly: true } } } } } } }
    expect(serverPart({ id: 'one', entry }, config).lines.join()).toContain('"last":{"hints":{"readOnly":true}}')
    const commands = Array.from({ length: 100 }, (_, at) => `command-${at} *`)
    expect(settingsPart([], { toolwire: { commands: [...commands, '*'] } }).lines.join()).toContain('"*"]')
  })

  it('shows no secrets', () => {
    const secret = 'abcdefgh12345678ijkl'
    const shown = linesOf({
      command: 'docker',
      args: ['run', '-e', `X=${secret}`, '--api-key', secret, `--token=${secret}`, `--url=https://x.example/?a=1&b=${secret}`],
      env: { TOKEN: secret, OTHER: `${secret}\${X}`, API_KEY: 'short ${Y}' },
    })
    expect(shown).not.toContain(secret)
    expect(shown).not.toContain('short')
    expect(linesOf({ command: 'sh', args: ['-c', `TOKEN=${secret} API_KEY=${secret} node server.js`] })).not.toContain(secret)
  })
})

describe('an untrusted server', () => {
  const many = (text: string, count = 40_000) => text.repeat(count)

  it.each([
    ['download commands', { command: 'sh', args: ['-c', many('curl ')] }],
    ['delete commands', { command: 'sh', args: ['-c', many('del ')] }],
    ['unclosed variables', { command: 'sh', env: { A: many('${') } }],
    ['variables of a container', { command: 'docker', args: ['run', ...many('-eAPI_KEY=x ', 20_000).trim().split(' ')] }],
    ['options within options', { command: 'docker', args: ['run', many('--env=')] }],
    ['digits in a variable', { command: 'x', env: { A: `${many('1')}A` } }],
    ['digits in an address', { url: `https://x.example/${many('1')}A` }],
  ])('is read in linear time: %s', (_, entry) => {
    watchLoop()
    expect(linesOf(entry)).not.toBe('')
  })

  it('has one warning, however many names in it are unknown', () => {
    const value = { command: 'x', ...Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`later-${at}`, true])) }
    const { warnings } = readEntry({ name: 'one', at: '/one', value })
    expect([warnings.length, warnings.at(-1)]).toEqual([21, '/one: 10 more names are not known here and are ignored'])
  })
})

describe('a link to a config that was accepted in another project', () => {
  function projects() {
    const path = realpathSync(mkdtempSync(join(tmpdir(), 'links-')))
    onTestFinished(() => rmSync(path, { recursive: true, force: true }))
    const where = (project: string) => ({
      cwd: join(path, project),
      home: join(path, 'home'),
      env: {},
      flags: { dataDir: join(path, 'data') },
    })
    const waiting = async (project: string) => (await loadConfig(where(project))).trust?.waiting.map(({ id }) => id)
    return { path, where, waiting }
  }
  const config = JSON.stringify({ mcpServers: { one: { command: 'node', args: ['${workspaceFolder}/server.js'] } } })

  it.each<[string, (from: string, to: string) => void]>([
    ['the file', (from, to) => symlinkSync(from, to)],
    ['the file, relative', (from, to) => symlinkSync(relative(dirname(to), from), to)],
    ['its folder', (from, to) => symlinkSync(dirname(from), dirname(to))],
    [
      'a link to the file',
      (from, to) => {
        symlinkSync(from, `${to}.link`)
        symlinkSync(`${to}.link`, to)
      },
    ],
  ])('is not accepted, because its commands run other files here: %s', async (what, link) => {
    const { path, where, waiting } = projects()
    const name = what === 'its folder' ? '.vscode/mcp.json' : 'mcp.json'
    const [accepted, stranger] = [join(path, 'accepted', name), join(path, 'stranger', name)]
    for (const place of [dirname(accepted), join(path, 'stranger')]) mkdirSync(place, { recursive: true })
    writeFileSync(accepted, config)
    await acceptFoundConfig(where('accepted'), async () => true)
    link(accepted, stranger)
    expect([await waiting('accepted'), await waiting('stranger')]).toEqual([[], ['one']])
    await acceptFoundConfig(where('stranger'), async () => true)
    expect(await waiting('stranger')).toEqual([])
  })

  it('is accepted if the whole project is a link', async () => {
    const { path, where, waiting } = projects()
    mkdirSync(join(path, 'accepted'))
    writeFileSync(join(path, 'accepted/mcp.json'), config)
    await acceptFoundConfig(where('accepted'), async () => true)
    symlinkSync(join(path, 'accepted'), join(path, 'same'))
    expect(await waiting('same')).toEqual([])
  })
})

describe('an imported project file', () => {
  const folder = folderForEach()

  it.each([
    ['.cursor/mcp.json', { command: 'node' }, { toolwire: { servers: { one: { lazy: true } } } }],
    ['.cursor/mcp.json', { command: 'node', args: ['${input:tok}'] }, { inputs: [{ id: 'tok', default: 'of-main' }] }],
    ['.vscode/mcp.json', { command: 'node', args: ['${input:tok}'] }, {}],
    ['.gemini/settings.json', { command: 'node', args: ['$HOME'] }, {}],
  ])('is accepted by the suggested command, whichever config imports it: %s %j %j', async (name, entry, more) => {
    const settings = 'toolwire' in more ? more.toolwire : {}
    const inputs = name.startsWith('.vscode') ? { inputs: [{ id: 'tok', default: 'its-own' }] } : {}
    const path = await folder.write(`work/${name}`, { mcpServers: { one: entry }, ...inputs })
    const main = { ...more, toolwire: { import: [name.slice(1).split('/')[0]], ...settings } }
    const options = folder.options({ cwd: folder.at('work'), env: { HOME: '/me', TOOLWIRE_INPUT_TOK: 'x' } })
    const load = async () => loadConfig({ ...options, path: await folder.write('main.json', main) })
    expect((await load()).trust?.waiting.map(({ id }) => id)).toEqual(['one'])
    await acceptFoundConfig({ ...options, path, asFound: true }, async () => true)
    const { trust, upstreams } = await load()
    expect([trust?.waiting, upstreams.map(({ disabled }) => disabled)]).toEqual([[], [false]])
  })
})

describe('an accepted config', () => {
  const folder = folderForEach()

  it('stays unchanged if a change cannot be accepted', async () => {
    const path = await folder.write('mcp.json', '{}')
    mkdirSync(folder.at('home/.local/share/toolwire'), { recursive: true })
    symlinkSync('nowhere', folder.at('home/.local/share/toolwire/trust'))
    const text = JSON.stringify({ mcpServers: { one: { command: 'node' } } })
    await expect(writeTrusted({ path, before: '{}', text }, folder.options())).rejects.toThrow()
    expect(readFileSync(path, 'utf8')).toBe('{}')
  })

  it.each([
    ['its settings', {}, { disabled: true }],
    ['its entry', { disabled: true }, {}],
  ])('keeps a server disabled that %s disable, while other settings wait', async (_, entry, settings) => {
    const written = (toolwire: object) => ({
      mcpServers: { off: { command: 'node', ...entry }, on: { command: 'node' } },
      toolwire,
    })
    const text = JSON.stringify(written({ servers: { off: settings } }))
    // A file that the gateway writes is accepted with all of its servers.
    await writeTrusted({ path: folder.at('mcp.json'), before: undefined, text }, folder.options())
    const disabled = async () => (await loadConfig(folder.options())).upstreams.map((one) => [one.id, one.disabled])
    expect(await disabled()).toEqual([
      ['off', true],
      ['on', false],
    ])
    await folder.write('mcp.json', written({ servers: { off: settings }, logLevel: 'warn' }))
    const { upstreams, trust } = await loadConfig(folder.options())
    expect(upstreams.map((one) => one.disabled)).toEqual([true, true])
    expect(trust?.waiting.map(({ kind, id }) => id ?? kind)).toEqual(['settings', 'on'])
  })
})

it('the file of rules is shown at the first review, before the settings that name it are accepted', async () => {
  const { lines } = settingsPart([], { toolwire: { policy: 'policy.yaml', port: 4180 } })
  expect(lines).toEqual(['takes its rules from policy.yaml, as they are now', 'sets port to 4180'])
})
