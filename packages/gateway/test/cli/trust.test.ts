// A config that was found in the working folder, not named by the user, needs a review before anything in it is used.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { commandHere } from '../support/command-here.js'
import { inTerminal, keys } from '../support/pseudo-terminal.js'
import { clean, folder, program, toolwire, until } from '../support/run-program.js'

type Json = { [name: string]: unknown }

/** A folder with a config whose servers record their names at their start. */
function place(more: Json = {}) {
  const files = folder()
  onTestFinished(() => files[Symbol.dispose]())
  const path = realpathSync(files.path)
  const marks = `${path}/marks`
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text contains a variable of a config
  const reads = { TOKEN: '${MY_TOKEN:-none}' }
  const entry = (name: string) => ({ command: '/bin/sh', args: ['-c', 'echo "$0" >> marks', name], env: reads })
  const write = (...names: string[]) =>
    writeFileSync(
      `${path}/mcp.json`,
      JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, entry(name)])), ...more }),
    )
  const env = { ...clean(path), TOOLWIRE_DATA_DIR: `${path}/data`, TOOLWIRE_URL: undefined }
  const run = (...words: string[]) => toolwire(words, { cwd: path, env })
  /** The same in this process, for output that other tests check with the program. */
  const here = (...words: string[]) => commandHere(words, { cwd: path, env })
  const started = () => (existsSync(marks) ? [...new Set(readFileSync(marks, 'utf8').trim().split('\n'))].sort() : [])
  return { path, env, write, run, here, started }
}

const quiet = ['--port', '0', '--no-console']

/** `toolwire up` as a service runs it. */
async function service({ path, env }: ReturnType<typeof place>, ...more: string[]) {
  const child = spawn(process.execPath, [program, 'up', '--json', ...quiet, ...more], {
    cwd: path,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill())
  let log = ''
  child.stderr.on('data', (piece) => {
    log += piece
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const line = await Promise.race([
    new Promise<string>((resolve) => createInterface(child.stdout).once('line', resolve)),
    ended.then(() => ''),
  ])
  if (line === '') throw new Error(log)
  const stop = async () => {
    child.kill()
    await ended
  }
  return { url: new URL((JSON.parse(line) as { url: string }).url).origin, log: () => log, stop }
}

describe('in a terminal', () => {
  it('the commands and their variables are shown with a question; after a no they wait, and the gateway runs', async () => {
    const at = place()
    at.write('one', 'two')
    const screen = inTerminal(['up', ...quiet], { cwd: at.path, env: at.env })
    const shown = await screen.shows('Trust it?')
    for (const words of [`In ${at.path}/mcp.json:`, 'the server one', 'runs /bin/sh -c', 'reads from the environment: MY_TOKEN'])
      expect(shown).toContain(words)
    screen.type('n')
    await screen.shows('Toolwire listens at')
    await screen.shows(`toolwire trust ${at.path}/mcp.json`)
    screen.type(keys.interrupt)
    expect([await screen.ended, at.started()]).toEqual([0, []])
  })

  it('a yes is stored until something changes, and then only the change is asked about', async () => {
    const at = place()
    at.write('one')
    const first = inTerminal(['up', ...quiet], { cwd: at.path, env: at.env })
    await first.shows('Trust it?')
    first.type('y')
    await first.shows('Toolwire listens at')
    await until(() => at.started().length > 0)
    first.type(keys.interrupt)
    await first.ended
    at.write('one', 'two')
    const second = inTerminal(['up', ...quiet], { cwd: at.path, env: at.env })
    const shown = await second.shows('Trust it?')
    expect(shown).toContain('the server two')
    expect(shown).not.toContain('the server one')
    second.type(keys.interrupt)
    expect([await second.ended, at.started()]).toEqual([130, ['one']])
  })
})

describe('toolwire trust --json', () => {
  it('asks in a terminal, too', async () => {
    const at = place()
    at.write('one')
    const screen = inTerminal(['trust', '--json'], { cwd: at.path, env: at.env })
    expect(await screen.shows('Trust it?')).toContain('the server one')
    screen.type('n')
    expect(await screen.ended).toBe(3)
    expect((await at.here('trust', '--dry-run', '--json')).stdout).toContain('"server": "one"')
  })
})

describe('without a terminal', () => {
  it('a config waits, as log, status and doctor report, and is used as soon as toolwire trust has accepted it', async () => {
    const at = place()
    at.write('one')
    const gateway = await service(at)
    const how = `toolwire trust ${at.path}/mcp.json --data-dir ${at.path}/data`
    expect(gateway.log()).toContain(how)
    const status = await at.run('status', '--gateway', gateway.url)
    expect(status.stdout).toMatch(/^one +waits for trust /m)
    expect(status.stdout).toContain(how)
    expect((await at.here('doctor', '--gateway', gateway.url)).stdout).toMatch(/doubtful +trust: .*the server one/)
    expect((await at.here('trust', '--dry-run')).stdout).toContain('the server one')
    expect(at.started()).toEqual([])
    expect(await at.run('trust')).toMatchObject({ code: 0, stdout: expect.stringContaining('runs /bin/sh') })
    await until(() => at.started().includes('one'))
    at.write('one', 'two')
    await until(() => gateway.log().includes('the server two'))
    expect(at.started()).toEqual(['one'])
    expect((await at.run('trust', '--forget')).stdout).toContain('is withdrawn')
    await until(async () => /^one +waits for trust/m.test((await at.here('status', '--gateway', gateway.url)).stdout))
    await gateway.stop()
  })

  it('--trust accepts the current content; a named config needs none, and one named with --as-found does', async () => {
    const at = place()
    at.write('one')
    const named = await service(at, 'mcp.json')
    await until(() => at.started().includes('one'))
    await named.stop()
    at.write('two')
    const found = await service(at, 'mcp.json', '--as-found')
    expect(found.log()).toContain('was found, not named')
    await found.stop()
    expect(at.started()).toEqual(['one'])
    const trusting = await service(at, '--trust')
    await until(() => at.started().includes('two'))
    await trusting.stop()
    expect((await at.here('trust', '--json')).stdout).toContain('"accepted": []')
  })

  it('import copies nothing, and explains what to do; with --yes, its result is accepted', async () => {
    const at = place()
    writeFileSync(`${at.path}/hosts.json`, '')
    const cursor = {
      mcpServers: { one: { command: '/bin/sh', args: ['-c', 'echo one >> marks'] }, far: { url: 'http://127.0.0.1:9/mcp' } },
    }
    const { mkdirSync } = await import('node:fs')
    mkdirSync(`${at.path}/.cursor`)
    writeFileSync(`${at.path}/.cursor/mcp.json`, JSON.stringify(cursor))
    const refused = await at.run('import', 'cursor')
    expect(refused).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/Nothing was written\. .*one, far.*--dry-run.*--yes/),
    })
    expect(existsSync(`${at.path}/mcp.json`)).toBe(false)
    expect((await at.run('import', 'cursor', '--yes')).code).toBe(0)
    expect((await at.here('trust', '--dry-run')).stderr).toContain('Nothing waits')
    writeFileSync(`${at.path}/mcp.json`, readFileSync(`${at.path}/mcp.json`, 'utf8').replace('marks', 'marks2'))
    expect((await at.here('trust', '--dry-run')).stdout).toContain('the server one')
  })
})

describe('a change by the gateway itself', () => {
  it('is accepted only if everything else in the file was accepted', async () => {
    const at = place()
    const untrusted = async () => (JSON.parse((await at.here('trust', '--dry-run', '--json')).stdout).waiting as Json[]).length
    writeFileSync(`${at.path}/mcp.json`, '{ "mcpServers": {} }')
    expect((await at.here('add', 'one', '--', '/bin/sh', '-c', 'true')).code).toBe(0)
    expect((await at.here('set', 'guard.rate.calls', '120')).code).toBe(0)
    expect(await untrusted()).toBe(0)
    at.write('stranger')
    expect((await at.here('add', 'two', '--', '/bin/sh', '-c', 'true')).code).toBe(0)
    // The unknown server, and the one that was added with it.
    expect(await untrusted()).toBe(2)
  })
})

it('a config that was named before waits when it is found, and its data directory accepts nothing by itself', async () => {
  const at = place()
  at.write('one')
  const before = await service(at, 'mcp.json')
  await until(() => at.started().includes('one'))
  await before.stop()
  expect(existsSync(`${at.path}/data/trust`)).toBe(false)
  at.write('two')
  const gateway = await service(at)
  expect(gateway.log()).toMatch(/Until you accept it, the gateway does not use: the server two/)
  expect((await at.here('audit', 'verify', '--gateway', gateway.url)).stdout).toContain('The log is intact')
  await gateway.stop()
  expect(at.started()).toEqual(['one'])
})

it('settings of a found config are not used before acceptance: data directory, policy and port', async () => {
  const at = place({ toolwire: { dataDir: 'theirs', policy: '/dev/zero', host: '0.0.0.0', callers: { apiKeys: true } } })
  at.write('one')
  const gateway = await service(at)
  expect(gateway.log()).toMatch(/Until you accept it, the gateway does not use: its settings, the server one/)
  await gateway.stop()
  expect(existsSync(`${at.path}/theirs`)).toBe(false)
})

describe('a login to an untrusted server', () => {
  it('is refused with the command that accepts it, with and without a gateway, and the list of logins names it', async () => {
    const at = place()
    at.write('shop')
    const how = `toolwire trust ${at.path}/mcp.json`
    const waits = new RegExp(`The server shop waits for your acceptance, because .* was found, not named.*${how}`)
    const [named, listed] = [await at.run('login', 'shop', '--data-dir', 'data'), await at.here('login', '--data-dir', 'data')]
    expect(named.code).not.toBe(0)
    expect(named.stderr).toMatch(waits)
    expect(listed).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/Until you accept it, the gateway does not use: the server shop\./),
    })
    expect((await at.here('login', 'another', '--data-dir', 'data')).stderr).toContain('There is no server "another"')
    const { url, stop } = await service(at)
    expect((await at.here('login', 'shop', '--gateway', url)).stderr).toMatch(waits)
    await stop()
    expect(at.started()).toEqual([])
  })
})
