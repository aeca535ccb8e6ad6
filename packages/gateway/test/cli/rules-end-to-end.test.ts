// The path of an operator: write, test and apply rules, then call. The effect at the server counts.
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eachNth } from '../../../toolwire/test/soak.js'
import { type RunningGateway, runningGateway } from '../support/cli-gateway.js'
import { commandHere } from '../support/command-here.js'
import { type Ended, folder, toolwire, until } from '../support/run-program.js'

const filesystem = createRequire(import.meta.url)
  .resolve('@modelcontextprotocol/server-filesystem/package.json')
  .replace('package.json', 'dist/index.js')

type Setup = {
  readonly gateway: RunningGateway
  /** The folder of the server. */
  readonly disk: string
  run(...words: string[]): Promise<Ended>
  /** The same in this process, for output that other tests check with the program. */
  here(...words: string[]): Promise<Ended>
  write(policy: string): void
}

/** A gateway with the published filesystem server and these rules. */
async function setUp(policy: string, settings: object = {}): Promise<Setup> {
  const place = folder()
  onTestFinished(() => place[Symbol.dispose]())
  const disk = join(realpathSync(place.path), 'disk')
  mkdirSync(disk)
  writeFileSync(join(disk, 'note.txt'), 'as it was')
  const config = {
    mcpServers: { files: { command: process.execPath, args: [filesystem, disk] } },
    toolwire: { policy: 'policy.yaml', guard: { rate: false }, servers: { files: settings } },
  }
  const gateway = await runningGateway({ 'mcp.json': JSON.stringify(config), 'policy.yaml': policy })
  onTestFinished(async () => void (await gateway.stop()))
  const around = { env: { ...gateway.env, TOOLWIRE_CONFIG: join(gateway.path, 'mcp.json') }, cwd: gateway.path }
  return {
    gateway,
    disk,
    run: (...words) => toolwire(words, around),
    here: (...words) => commandHere(words, around),
    write: (text) => writeFileSync(join(gateway.path, 'policy.yaml'), text),
  }
}

const noWriting = (tool = '[write_file]', more = '') => `default: allow
rules:
  - name: no writing
    when: { server: files, tool: ${tool} }
    decision: deny${more}
cases:
  - { call: { server: files, tool: read_text_file }, expect: allow }
`
const denied = (tool: string) => `  - { call: ${tool}, expect: deny, rule: no writing }\n`

describe('a rule that denies a tool of a server', () => {
  const spellings: [string, object, string, string][] = [
    ['its own name', {}, 'files__write_file', 'write_file'],
    ['its own name, while callers see another one', { tools: { write_file: { rename: 'save' } } }, 'files__save', 'write_file'],
    ['the name callers see', { prefix: 'disk', tools: { write_file: { rename: 'save' } } }, 'disk__save', 'disk__save'],
    ['its own name, without a prefix', { prefix: false }, 'write_file', 'write_file'],
  ]

  it.each(eachNth(spellings, 2))('by %s passes its cases, and the file is not written', async (_, settings, exposed, name) => {
    const policy = `${noWriting(`[${name}]`)}${denied('{ server: files, tool: write_file }')}${denied(`{ tool: ${exposed} }`)}`
    const { run, here, disk, gateway } = await setUp(policy, settings)
    const file = join(gateway.path, 'policy.yaml')
    for (const words of [[], ['--gateway']]) {
      const tested = await here('policy', 'test', file, ...words)
      expect([tested.code, tested.stdout]).toEqual([0, '1 rule; 3 of 3 cases passed\n'])
    }
    const path = join(disk, 'note.txt')
    const called = await run('call', exposed, `path=${path}`, 'content=changed', '--yes')
    expect(called.code).not.toBe(0)
    expect(readFileSync(path, 'utf8')).toBe('as it was')
    expect((await here('list')).stdout).not.toContain(exposed)
    for (const words of [
      ['--server', 'files', '--tool', 'write_file'],
      ['--tool', exposed],
    ])
      expect((await here('policy', 'explain', file, ...words)).stdout).toContain('deny: "no writing" is the first')
    const read = await here('call', exposed.replace(/write_file|save/, 'read_text_file'), `path=${path}`, '--yes')
    expect([read.code, read.stdout]).toEqual([0, expect.stringContaining('as it was')])
  })
})

describe('a rule with a misspelled name', () => {
  it("withholds the server's tools, is reported everywhere, and releases them after a correction", async () => {
    const { run, here, disk, write, gateway } = await setUp(noWriting('[wriet_file]'))
    const words = 'there is no tool "wriet_file" on the server files; did you mean "write_file"?'
    // Only the server could show the mistake.
    expect((await run('policy', 'test', 'policy.yaml')).code).toBe(0)
    const tested = await run('policy', 'test', 'policy.yaml', '--gateway')
    expect([tested.code, tested.stdout]).toEqual([1, expect.stringContaining(words)])
    const path = join(disk, 'new.txt')
    expect((await run('call', 'files__write_file', `path=${path}`, 'content=x', '--yes')).code).toBe(2)
    expect(existsSync(path)).toBe(false)
    const listed = await run('list')
    expect(listed.stdout + listed.stderr).toContain(words)
    expect((await run('status')).stdout).toContain(words)
    const health = (await (await fetch(`${gateway.url}/health`)).json()) as { status: string }
    expect(health.status).toBe('degraded')
    expect((await run('doctor', 'mcp.json')).stdout).toContain(`names: the rule "no writing": ${words}`)
    expect(gateway.stderr()).toContain('wriet_file')
    write(noWriting())
    await until(async () => (await here('list')).stdout.includes('files__read_text_file'))
    expect((await here('list')).stdout).not.toContain('files__write_file')
    expect((await here('call', 'files__write_file', `path=${path}`, 'content=x', '--yes')).code).not.toBe(0)
    expect(existsSync(path)).toBe(false)
  })

  it('of a server prevents the start, and fails the test', async () => {
    using files = folder({
      'policy.yaml': noWriting().replace('server: files', 'server: fiels'),
      'mcp.json': JSON.stringify({
        mcpServers: { files: { command: process.execPath, args: [filesystem, '/'] } },
        toolwire: { policy: 'policy.yaml' },
      }),
    })
    const env = { PATH: process.env.PATH, HOME: files.path, TOOLWIRE_CONFIG: join(files.path, 'mcp.json') }
    const run = (...words: string[]) => toolwire(words, { env, cwd: files.path })
    for (const words of [
      ['policy', 'test', 'policy.yaml'],
      ['up', 'mcp.json', '--port', '0', '--data-dir', 'data'],
    ]) {
      const { code, stderr } = await run(...words)
      expect([code, stderr]).toEqual([2, expect.stringMatching(/policy\.yaml:4: .*no server "fiels"; did you mean "files"\?/)])
    }
  })
})

describe('policy explain', () => {
  it('shows its assumptions, or decides as the running gateway does', async () => {
    const { here, run, disk } = await setUp('rules:\n  - { name: bobs, when: { caller: bob, tool: x }, decision: deny }\n')
    const explain = (...words: string[]) => here('policy', 'explain', 'policy.yaml', '--tool', ...words)
    const unknown = await explain('files__read_text_file', '--caller', 'bob')
    expect(unknown.stdout).toMatch(
      /^ask: .*may change something\n(.*\n)* {2}assumed: the hints of the tool are unknown.*--gateway.*--read-only\n$/,
    )
    const readOnly = await explain('files__read_text_file', '--read-only')
    expect(readOnly.stdout).toMatch(/^allow: (.*\n)* {2}assumed: an anonymous caller\. .*--caller\n$/)
    const known = await explain('files__read_text_file', '--caller', 'bob', '--gateway')
    expect(known.stdout).toMatch(/^allow: .*the server says that the tool only reads, which is not verified\n/)
    expect(known.stdout).not.toContain('assumed')
    expect((await run('call', 'files__read_text_file', `path=${join(disk, 'note.txt')}`)).code).toBe(0)
    const misspelled = await explain('files__read_text_fiel', '--caller', 'bob', '--gateway')
    expect(misspelled.stdout).toContain('did you mean "files__read_text_file"')
    const { assumed, decision } = JSON.parse((await explain('files__write_file', '--gateway', '--json')).stdout)
    expect([assumed, decision]).toEqual([['caller'], 'ask'])
  })

  it('explains the given file, not the rules in force', async () => {
    const { here, write, gateway } = await setUp(noWriting())
    writeFileSync(join(gateway.path, 'new.yaml'), noWriting().replace('default: allow', 'default: ask'))
    const explain = (file: string) => here('policy', 'explain', file, '--tool', 'files__read_text_file', '--gateway')
    expect((await explain('new.yaml')).stdout).toMatch(/^ask: /)
    expect((await explain('policy.yaml')).stdout).toMatch(/^allow: /)
    write('rules: [{ name: x, decision: alow }]')
    expect(await explain('policy.yaml')).toMatchObject({ code: 2, stderr: expect.stringMatching(/policy\.yaml:1: /) })
  })
})
