// Help, error messages, colors, and the start time of the program.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { eachNth, expectWithin, soaking } from '../../../toolwire/test/soak.js'
import { commandHere } from '../support/command-here.js'
import { inTerminal } from '../support/pseudo-terminal.js'
import { clean, folder, program, shop, toolwire } from '../support/run-program.js'

function timed(words: readonly string[]): number {
  const begin = performance.now()
  spawnSync(process.execPath, words)
  return performance.now() - begin
}

describe('help', () => {
  it('lists every command, and loads nothing else for it', async () => {
    const { code, stdout } = await toolwire(['--help'])
    expect(code).toBe(0)
    for (const name of ['up', 'list', 'call', 'watch', 'audit', 'pins', 'keys', 'doctor', 'check'])
      expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
  })

  if (soaking)
    it('starts within 150 ms more than Node itself, or not much longer on a slow machine', async () => {
      const quickest = { help: Number.POSITIVE_INFINITY, bare: Number.POSITIVE_INFINITY }
      // The fastest of five counts, because other processes may use this machine.
      for (let round = 0; round < 5; round++) {
        quickest.help = Math.min(quickest.help, timed([program, '--help']))
        quickest.bare = Math.min(quickest.bare, timed(['-e', '0']))
      }
      expectWithin(quickest.help - quickest.bare, Math.max(150, 3 * quickest.bare))
    })

  it.for([
    ['call', '--help'],
    ['help', 'call'],
  ])('of a command has examples: %s %s', async (words) => {
    const { code, stdout } = await toolwire(words)
    expect(stdout).toMatch(/^Examples:\n {2}toolwire call shop__search query=mug/m)
    expect(code).toBe(0)
  })

  it.for([
    [['help', 'audit', 'verify'], 'Usage: toolwire audit verify '],
    [['help', 'policy', 'test'], 'Usage: toolwire policy test '],
    [['help'], 'Usage: toolwire <command>'],
  ] as const)('of %j is that of its last command', async ([words, usage]) =>
    expect(await commandHere(words)).toMatchObject({ code: 0, stdout: expect.stringContaining(usage) }))

  it('prints the version', async () => {
    const { version } = JSON.parse(readFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8'))
    expect((await toolwire(['--version'])).stdout).toBe(`${version}\n`)
  })
})

it('the program exits with 141 when its output is closed', async () => {
  const child = spawn(process.execPath, [program, '--help'], { stdio: ['ignore', 'pipe', 'inherit'] })
  child.stdout.destroy()
  expect(await once(child, 'exit')).toEqual([141, null])
})

describe('a mistake', () => {
  const mistakes = [
    [['lsit'], "unknown command 'lsit' (Did you mean list?)"],
    [['help', 'lsit'], "unknown command 'lsit' (Did you mean list?)"],
    [['audit', 'verfy'], '"verfy" is not a command; did you mean toolwire audit verify?'],
    [['audit', '--follow', '--from', '2h'], '--follow prints new records only. Omit --from, --to and --limit'],
    [['keys', 'list', '--gateway', 'http://127.0.0.1:9', '--data-dir', 'x'], '--gateway is for a gateway that runs'],
    [['login', '--gateway', 'http://127.0.0.1:9', '--config', 'mcp.json'], '--gateway is for a gateway that runs'],
    [['connect', 'cursor', '--config', 'mcp.json', '--http'], 'Omit --config'],
    [['connect', 'cursor', '--config', 'mcp.json', '--gateway', 'http://127.0.0.1:9'], 'Omit --config'],
    [['check', 'http://127.0.0.1:9/mcp', 'http://127.0.0.1:9/b'], 'Omit http://127.0.0.1:9/b'],
    [['pins', 'accept', 'a', '--all'], 'A name, --server and --all cannot be combined'],
    [['call'], "missing required argument 'tool'; see toolwire call --help"],
    [['list', '--al'], "unknown option '--al' (Did you mean --all?)"],
    [['audit', '--limit', '0'], '--limit must be a number from 1 to 1000'],
    [['audit', 'verify', '--file', 'nope'], 'The file nope cannot be read: ENOENT, there is no such file; check the path'],
    [['policy', 'test', 'nope.yaml'], 'nope.yaml: cannot be read: ENOENT, there is no such file; check the path'],
    [['status', '--gateway', 'localhost'], 'localhost is not the address of a gateway'],
    [['audit', '--from', 'soon'], '--from is a date such as 2026-01-31'],
    [
      ['audit', 'verify', 'x'],
      "too many arguments for 'verify'. Expected 0 arguments but got 1; see toolwire audit verify --help",
    ],
    [['audit', 'verify', '--head', '1'], '--head must be sequence:hash'],
    [['keys', 'create', '--for', 'ever'], '--for is a time such as 30m'],
    [['connect', 'cursr'], 'The host "cursr" is not known; did you mean cursor?'],
    [['completion', 'tcsh'], 'The shell "tcsh" is not supported. Supported shells: bash, zsh, fish'],
    [
      ['check', '--onli', 'http', 'https://shop.example/mcp'],
      "toolwire: unknown option '--onli' (Did you mean --only?). Run toolwire check --help",
    ],
  ] as const

  it.for(eachNth(mistakes, 2))('%j is reported in one sentence, with exit code 2', async ([words, message]) => {
    const command = words[0] === 'check' ? toolwire : commandHere
    const { code, stdout, stderr } = await command([...words])
    expect(stderr).toContain(message)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect([code, stdout]).toEqual([2, ''])
  })

  it.for([
    ['list', '--header', 'none', 'http://127.0.0.1:9/mcp'],
    ['check', '--only', 'http-o', '--out', '/nowhere/report.txt', 'http://127.0.0.1:9/mcp'],
  ])('is one sentence, and --debug adds a stack trace: %s', async ([command = '', ...words]) => {
    const plain = (await commandHere([command, ...words])).stderr.trim().split('\n')
    const [first, ...more] = (await toolwire([command, '--debug', ...words])).stderr.trim().split('\n')
    expect(plain).toEqual([first])
    expect(more).toContainEqual(expect.stringMatching(/^ +at /))
  })

  it('can be an unwritable report', async () => {
    const { code, stderr } = await commandHere(['check', '--only', 'http-o', '--out', '/nowhere/x', 'http://127.0.0.1:9/mcp'])
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^toolwire: The report cannot be written: ENOENT.*Check --out\n$/)])
  })

  it('can be an invalid port, which is named with the setting', async () => {
    const env = { ...clean('/tmp'), TOOLWIRE_URL: undefined, TOOLWIRE_PORT: 'abc' }
    const message = (name: string) => expect.stringContaining(`${name} must be a number from 0 to 65535`)
    expect(await commandHere(['status'], { env })).toMatchObject({ code: 2, stderr: message('TOOLWIRE_PORT') })
    expect(await commandHere(['doctor', '--offline', '--port', 'abc'])).toMatchObject({ code: 2, stderr: message('--port') })
  })

  it.for([
    'status',
    'pending',
    'audit',
    'pins',
  ])('%s without a gateway explains how to start one, with exit code 4', async (name) => {
    const { code, stderr } = await (name === 'status' ? toolwire : commandHere)([name])
    expect(stderr).toBe(
      'toolwire: No gateway answers at http://127.0.0.1:9. Start one with toolwire up, or name another with --gateway\n',
    )
    expect(code).toBe(4)
  })

  it('a gateway at a port that fetch refuses is reported with the port as the reason', async () => {
    const { code, stderr } = await commandHere(['status', '--gateway', 'http://127.0.0.1:4190'])
    expect(stderr).toMatch(
      /^toolwire: No gateway answers at http:\/\/127\.0\.0\.1:4190\. Browsers, .* refuse port 4190\. Choose another port\n$/,
    )
    expect(code).toBe(4)
  })
})

describe('colors', () => {
  const isColoured = (text: string) => text.includes('\u001b[1m')

  it('are for terminals only, and can be switched off', async () => {
    expect(isColoured((await toolwire(['list', ...shop])).stdout)).toBe(false)
    const screen = inTerminal(['list', '--no-color', ...shop])
    await screen.ended
    expect(screen.raw).not.toContain('\u001b')
    const plain = inTerminal(['list', ...shop], { env: { ...clean('/tmp'), NO_COLOR: '1' } })
    await plain.ended
    expect(plain.raw).not.toContain('\u001b')
    const coloured = inTerminal(['list', ...shop])
    await coloured.ended
    expect(isColoured(coloured.raw)).toBe(true)
  })
})

describe('completion', () => {
  const words = async (...typed: string[]) => (await commandHere(['completion', 'words', ...typed])).stdout.trim().split('\n')

  it('offers commands, nested ones, options and hosts', async () => {
    expect(await words('a')).toEqual(['approve', 'audit', 'add'])
    expect(await words('audit', 'v')).toEqual(['verify'])
    expect(await words('call', '--ti')).toEqual(['--timeout'])
    expect(await words('connect', 'c')).toEqual(['claude-desktop', 'claude-code', 'cursor', 'codex'])
  })

  it('works in a real shell', async () => {
    using files = folder({ toolwire: `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n` })
    chmodSync(`${files.path}/toolwire`, 0o755)
    const script = `source <(toolwire completion bash); COMP_LINE='toolwire aud'; COMP_POINT=12; _toolwire; echo "\${COMPREPLY[@]}"`
    const env = { ...clean(files.path), PATH: `${files.path}:${process.env.PATH}` }
    expect(execFileSync('bash', ['-c', script], { env, encoding: 'utf8' })).toBe('audit\n')
  })
})
