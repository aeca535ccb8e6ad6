// Commands on files and on this machine, which need no gateway.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer as createWebServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { commandHere } from '../support/command-here.js'
import { clean, everything, folder, shop, toolwire } from '../support/run-program.js'

const cursor =
  '{\n  // mine\n  "mcpServers": { "files": { "command": "server-files", "env": { "API_KEY": "s3cr3t-of-mine" } } }\n}\n'

function home() {
  const files = folder()
  mkdirSync(`${files.path}/.cursor`)
  writeFileSync(`${files.path}/.cursor/mcp.json`, cursor)
  mkdirSync(`${files.path}/work`)
  const run = (...words: string[]) => toolwire(words, { env: clean(files.path), cwd: `${files.path}/work` })
  return { ...files, run, [Symbol.dispose]: files[Symbol.dispose] }
}

describe('import', () => {
  it('shows what it would write, and writes nothing', async () => {
    using at = home()
    const { code, stdout, stderr } = await at.run('import', '--dry-run')
    expect(stdout).toMatch(/^\+ files {2}from Cursor \(.*\.cursor\/mcp\.json\)\n {4}runs server-files\n {4}with API_KEY=•••\n$/)
    expect(stderr).toContain('Nothing was written')
    expect([code, readdirSync(`${at.path}/work`)]).toEqual([0, []])
  })

  it('adds new servers to an mcp.json, keeps the rest with its comments, and keeps the old file', async () => {
    using at = home()
    const before = '{\n  // keep this\n  "mcpServers": { "shop": { "command": "shop" } }\n}\n'
    writeFileSync(`${at.path}/work/mcp.json`, before)
    const { added, kept, backup } = JSON.parse((await at.run('import', 'cursor', '--yes', '--json')).stdout)
    expect([added.map(({ id }: { id: string }) => id), kept]).toEqual([['files'], []])
    const text = readFileSync(`${at.path}/work/mcp.json`, 'utf8')
    expect(text).toContain('// keep this')
    expect(text).toContain('"files"')
    expect(readFileSync(backup, 'utf8')).toBe(before)
    const again = await at.run('import')
    expect(again.stdout).toContain('files  exists already, and stays')
    expect(readFileSync(`${at.path}/work/mcp.json`, 'utf8')).toBe(text)
  })
})

describe('connect', () => {
  it('shows the change without secrets, and writes it only without --dry-run', async () => {
    using at = home()
    const dry = await at.run('connect', 'cursor', '--dry-run')
    expect(dry.stdout).toContain('+')
    expect(dry.stdout).not.toContain('s3cr3t')
    expect(readFileSync(`${at.path}/.cursor/mcp.json`, 'utf8')).toBe(cursor)
    const { changed, backup } = JSON.parse((await at.run('connect', 'cursor', '--json')).stdout)
    expect([changed, readFileSync(backup, 'utf8')]).toEqual([true, cursor])
    expect(readFileSync(`${at.path}/.cursor/mcp.json`, 'utf8')).toContain('http://127.0.0.1:9/mcp')
    expect((await at.run('connect', 'cursor')).stderr).toContain('Cursor has the gateway already')
  })

  it('writes a bridge for a host that cannot use the given address', async () => {
    using at = home()
    const { diff } = JSON.parse((await at.run('connect', 'claude-desktop', '--dry-run', '--json')).stdout)
    expect(diff).toMatch(/dist\/toolwire\.js[\s\S]*"bridge"[\s\S]*"http:\/\/127\.0\.0\.1:9"/)
    expect(await at.run('connect', 'windsurf', '--project')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Omit --project'),
    })
  })
})

describe('policy', () => {
  const rules = `rules:
  - name: no prod
    when: { tool: deploy, arguments: { env: prod } }
    decision: deny
    because: not from here
  - name: the rest
    decision: allow
cases:
  - call: { tool: deploy, arguments: { env: prod } }
    expect: deny
  - name: dev is fine
    call: { tool: deploy, arguments: { env: dev } }
    expect: ask
`
  it('test runs the cases, and names the failing ones', async () => {
    using files = folder({ 'policy.yaml': rules })
    const failed = await toolwire(['policy', 'test', 'policy.yaml'], { cwd: files.path })
    expect(failed.code).toBe(1)
    expect(failed.stdout).toContain('failed: dev is fine: expected ask, got allow by "the rest"')
    expect(failed.stdout).toContain('2 rules; 1 of 2 cases passed, 1 failed')
    writeFileSync(`${files.path}/policy.yaml`, rules.replace('expect: ask', 'expect: allow'))
    expect(await toolwire(['policy', 'test', 'policy.yaml'], { cwd: files.path })).toMatchObject({
      code: 0,
      stderr: 'Names of tools were not checked. Check them with --gateway, while the gateway runs\n',
    })
  })

  it('test fails for a rule that never decides, and names the rule before it', async () => {
    const late = '  - { name: late, decision: deny }\n'
    using files = folder({ 'policy.yaml': `rules:\n  - { name: all, decision: allow }\n${late}` })
    const test = () => toolwire(['policy', 'test', 'policy.yaml'], { cwd: files.path })
    expect(await test()).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('no effect: the rule "late": it never decides, because "all" is before it'),
    })
    writeFileSync(`${files.path}/policy.yaml`, `rules:\n${late}`)
    expect((await test()).code).toBe(0)
  })

  it('test names the line of a mistake', async () => {
    using files = folder({ 'policy.yaml': rules.replace('decision: allow', 'decision: alow') })
    const { code, stderr } = await toolwire(['policy', 'test', 'policy.yaml'], { cwd: files.path })
    expect([code, stderr]).toEqual([2, expect.stringMatching(/policy\.yaml:7: /)])
    const { problems } = JSON.parse((await toolwire(['policy', 'test', 'policy.yaml', '--json'], { cwd: files.path })).stdout)
    expect(problems[0].line).toBe(7)
  })

  it('explain names the deciding rule with its reason', async () => {
    using files = folder({ 'policy.yaml': rules })
    const explain = (...words: string[]) =>
      toolwire(['policy', 'explain', 'policy.yaml', '--tool', 'deploy', ...words], { cwd: files.path })
    expect((await explain('env=prod', '--caller', 'ci')).stdout).toMatch(
      /^deny: "no prod" is the first rule that matches: not from here/,
    )
    expect(JSON.parse((await explain('env=dev', '--json')).stdout)).toMatchObject({ decision: 'allow', rule: 'the rest' })
    expect(await toolwire(['policy', 'explain', 'policy.yaml'], { cwd: files.path })).toMatchObject({ code: 2 })
  })
})

describe('doctor', () => {
  const doctor = async (config: string, more: readonly string[] = [], env: NodeJS.ProcessEnv = {}) => {
    using files = folder({ 'mcp.json': config })
    const ended = await commandHere(['doctor', '--json', ...more], {
      cwd: files.path,
      env: { ...clean(files.path), TOOLWIRE_CONFIG: 'mcp.json', ...env },
    })
    const { ok, findings } = JSON.parse(ended.stdout)
    const of = (check: string) => findings.filter((one: { check: string }) => one.check === check)
    return { ok, of, code: ended.code }
  }
  const serving = (entry: object, settings: object = {}) =>
    JSON.stringify({ mcpServers: { shop: entry }, toolwire: { port: 0, dataDir: 'data', ...settings } })

  it('connects to each server, and finds no problem', async () => {
    const { ok, of, code } = await doctor(serving({ command: shop[1], args: shop.slice(2) }))
    expect(of('server')[0]).toMatchObject({ is: 'fine', message: expect.stringContaining('offers 3 tools') })
    expect(of('gateway')[0].is).toBe('doubtful')
    expect([ok, code]).toEqual([true, 0])
  })

  it('finds the tools that the gateway finds, including those for clients with elicitation', async () => {
    const rule = '- { name: asked, when: { tool: all__trigger-elicitation-request }, decision: ask }'
    using files = folder({ 'policy.yaml': `rules:\n  ${rule}\n` })
    const [, command, ...args] = everything
    const mcpServers = { all: { command, args } }
    const config = { mcpServers, toolwire: { port: 0, dataDir: 'data', policy: `${files.path}/policy.yaml` } }
    const { of, code } = await doctor(JSON.stringify(config))
    expect([of('names'), code]).toEqual([[], 0])
  })

  it('finds a missing program, and starts nothing with --offline', async () => {
    const { ok, of, code } = await doctor(serving({ command: 'no-such-server' }), ['--offline'])
    expect(of('command')[0]).toMatchObject({
      is: 'wrong',
      message: expect.stringContaining('the program no-such-server was not found'),
    })
    expect([of('server'), ok, code]).toEqual([[], false, 1])
  })

  it('says that it could not check the names of tools if a server did not list them, or with --offline', async () => {
    const named = serving({ command: shop[1], args: shop.slice(2) }, { sets: { few: ['shop__search'] } })
    const offline = await doctor(named, ['--offline'])
    expect(offline.of('names')).toEqual([
      { check: 'names', is: 'doubtful', message: expect.stringContaining('Run toolwire doctor without --offline') },
    ])
    expect([offline.ok, offline.code]).toEqual([true, 0])
    const silent = await doctor(serving({ url: 'https://no-such-host.invalid/mcp' }, { sets: { few: ['shop__search'] } }))
    expect(silent.of('server')[0]).toMatchObject({ is: 'wrong', message: expect.stringContaining('no-such-host.invalid') })
    expect(silent.of('names')).toEqual([
      {
        check: 'names',
        is: 'doubtful',
        message: expect.stringContaining('could not be checked against shop, because it has not'),
      },
    ])
    expect(silent.code).toBe(1)
    expect((await doctor(serving({ command: shop[1] }), ['--offline'])).of('names')).toEqual([])
  })

  it('finds a mistake in the config, with its line', async () => {
    const { of, code } = await doctor('{\n "mcpServers": {},\n "toolwire": { "prt": 1 } }')
    expect(of('config')[0]).toMatchObject({ is: 'wrong', message: expect.stringMatching(/mcp\.json:3: .*port/) })
    expect(code).toBe(1)
  })

  it('checks the given gateway, by either option, or else that of the config', async () => {
    const [one, other] = await Promise.all([healthy(), healthy('server shop: it is gone')])
    const broken = serving({ command: 'node' }, { port: other.port })
    const url = `http://127.0.0.1:${one.port}`
    for (const words of [
      ['--gateway', url],
      ['--url', url],
      ['--port', `${one.port}`],
    ]) {
      const { of } = await doctor(broken, ['--offline', ...words])
      expect(of('gateway')).toEqual([{ check: 'gateway', is: 'fine', message: `answers at ${url}` }])
    }
    const env = { TOOLWIRE_URL: '' }
    const { of } = await doctor(broken, ['--offline', '--config', 'mcp.json'], env)
    expect(of('gateway')).toEqual([
      { check: 'gateway', is: 'fine', message: `answers at http://127.0.0.1:${other.port}` },
      { check: 'gateway', is: 'doubtful', message: 'server shop: it is gone' },
    ])
    expect(of('port')[0]).toMatchObject({ is: 'fine', message: expect.stringContaining('is used by the running gateway') })
    const named = await doctor(broken, ['--offline', '--gateway', url])
    expect(named.of('port')[0]).toMatchObject({ is: 'wrong', message: expect.stringContaining('used by another program') })
  })

  it('finds a port that another program uses', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as { port: number } // it listens on TCP
    const { of } = await doctor(serving({ command: 'node' }, { port }), ['--offline'])
    other.close()
    expect(of('port')[0]).toMatchObject({ is: 'wrong', message: expect.stringContaining('is used by another program') })
  })
})

describe('audit verify --file', () => {
  it('needs no gateway', async () => {
    using files = folder({ 'empty.ndjson': '', 'broken.ndjson': 'not a record\n' })
    const verify = (file: string) => commandHere(['audit', 'verify', '--file', file], { cwd: files.path })
    // A log that was cut off entirely looks the same.
    const nothing = 'Nothing was verified: The log is empty, which proves nothing'
    expect(await verify('empty.ndjson')).toMatchObject({ code: 1, stdout: expect.stringContaining(nothing) })
    expect(await verify('broken.ndjson')).toMatchObject({ code: 1, stdout: expect.stringContaining('line 1, record 1') })
    expect((await verify('nowhere.ndjson')).code).toBe(2)
  })
})

/** A server that answers like a gateway with these troubles. */
async function healthy(...troubles: string[]): Promise<{ readonly port: number }> {
  const server = createWebServer((_, res) => res.end(JSON.stringify({ status: 'ok', troubles })))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return server.address() as AddressInfo // it listens on TCP
}
