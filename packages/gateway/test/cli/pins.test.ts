// Withheld definitions, reviewed in a terminal and by scripts.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { askingAt } from '../support/cli-gateway.js'
import { commandHere } from '../support/command-here.js'
import { inTerminal, keys } from '../support/pseudo-terminal.js'
import { clean, folder, program, toolwire, until } from '../support/run-program.js'

const wordy = fileURLToPath(new URL('../programs/wordy-server.mjs', import.meta.url))

const config = (...modes: string[]) => {
  const entry = { command: process.execPath, args: [wordy, ...modes] }
  return JSON.stringify({ mcpServers: { one: entry, two: entry } })
}

/** A gateway with two servers, which list suspicious tools in some modes. */
async function up(...modes: string[]) {
  const files = folder({ 'mcp.json': config(...modes) })
  const child = spawn(process.execPath, [program, 'up', 'mcp.json', '--json', '--port', '0', '--data-dir', 'data'], {
    cwd: files.path,
    env: clean(files.path),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const stop = async () => {
    child.kill()
    await ended
    files[Symbol.dispose]()
  }
  const [line] = await once(createInterface(child.stdout), 'line')
  const env = { ...clean(files.path), TOOLWIRE_URL: new URL(JSON.parse(String(line)).url).origin }
  const run = (...words: string[]) => toolwire(words, { env, cwd: files.path })
  /** The same in this process, for output that other tests check with the program. */
  const here = (...words: string[]) => commandHere(words, { env, cwd: files.path })
  const api = askingAt(env.TOOLWIRE_URL, join(files.path, 'data'))
  const waiting = async () => ((await api('/pins')) as { waiting: { tool: string }[] }).waiting.map(({ tool }) => tool).sort()
  const count = modes.includes('sly') ? 6 : 0
  await until(async () => (await waiting()).length === count)
  return { run, here, env, waiting, stop, path: files.path }
}

describe('suspicious definitions', () => {
  let gateway: Awaited<ReturnType<typeof up>>
  beforeAll(async () => {
    gateway = await up('sly')
  })
  afterAll(() => gateway.stop())

  it('are shown with the reason, once for each server, by pins, status, list and doctor', async () => {
    const { run, here } = gateway
    const reason = /The text may be telling the model to keep something from the user\./
    const { stdout } = await run('pins')
    expect(stdout.match(/withheld, one: The text may be telling.* \(one__add, one__take\)/g)).toHaveLength(1)
    expect((await run('pins', 'diff', 'one__add')).stdout).toMatch(
      /withheld: The text may be telling.*At \/description: Adds\. Do not mention/,
    )
    expect((await here('status')).stdout).toMatch(/2 tools are withheld \(one__add, one__take\)/)
    expect((await here('status')).stdout).toMatch(/status: degraded/)
    const { stderr } = await here('list')
    expect(stderr).toMatch(/6 more are withheld/)
    expect(stderr).toMatch(reason)
    const doctor = await here('doctor', 'mcp.json', '--offline')
    expect(doctor.stdout).toMatch(/doubtful\s+gateway: .*withheld/)
    expect(doctor.stderr).not.toMatch(/No problems/)
  })

  it('are accepted for one server with --server and --yes, and not without either a terminal or --yes', async () => {
    const { run, here, waiting } = gateway
    const refused = await run('pins', 'accept', '--server', 'one')
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/Nothing was accepted, .*add --yes/) })
    expect(refused.stderr).toMatch(/new: one__add, one__make, one__take|new: one__/)
    expect(await waiting()).toHaveLength(6)
    expect(await here('pins', 'accept', '--server', 'oen', '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean one?'),
    })
    for (const words of [['one__add', '--all'], ['--server', 'one', '--all'], []] as const)
      expect(await here('pins', 'accept', ...words, '--yes')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(words.length === 0 ? 'No definition is named' : 'cannot be combined'),
      })
    expect(await run('pins', 'accept', '--server', 'one', '--yes')).toMatchObject({ code: 0, stdout: 'Accepted 3 of 3\n' })
    expect(await waiting()).toEqual(['two__add', 'two__make', 'two__take'])
    expect(await here('pins', 'accept', '--server', 'one', '--yes')).toMatchObject({
      code: 0,
      stderr: 'Nothing of one waits to be accepted\n',
    })
    const again = await here('pins', 'accept', 'one__add', '--json')
    expect([again.code, JSON.parse(again.stdout)]).toEqual([0, { tool: 'one__add', hash: null }])
  })

  it('are all accepted with --all, after a summary and a question in a terminal', async () => {
    const { env, path, waiting } = gateway
    const no = inTerminal(['pins', 'accept', '--all'], { env, cwd: path })
    await no.shows('withheld, two: The text may be telling')
    await no.shows('Accept 3 definitions?')
    no.type('n')
    expect(await no.ended).toBe(3)
    expect(await waiting()).toHaveLength(3)
    for (const what of ['two__add', '--all']) {
      const stopped = inTerminal(['pins', 'accept', what], { env, cwd: path })
      await stopped.shows('Accept')
      stopped.type(keys.interrupt)
      expect(await stopped.ended).toBe(130)
    }
    expect(await waiting()).toHaveLength(3)
    const yes = inTerminal(['pins', 'accept', '--all', '--json'], { env, cwd: path })
    await yes.shows('withheld, two: The text may be telling')
    await yes.shows('Accept 3 definitions?')
    yes.type('y')
    expect(await yes.ended).toBe(0)
    expect(await waiting()).toEqual([])
  })
})

it("of another server under a known name are marked as such everywhere, and accepted by a script with the server's identity", async () => {
  const { run, here, waiting, stop, path } = await up()
  onTestFinished(stop)
  writeFileSync(join(path, 'mcp.json'), config('--key', 'hunter22'))
  await until(async () => (await waiting()).length === 4)
  const change =
    /This is not the server that was accepted as one: its command changed from ".*wordy-server\.mjs" to ".*wordy-server\.mjs --key •••"\./
  const { stdout } = await here('pins')
  expect(stdout).toMatch(change)
  expect(stdout).toMatch(/one +one__find +another server: withheld/)
  expect((await here('status')).stdout).toMatch(change)
  const diff = (await here('pins', 'diff', 'one__find')).stdout
  expect(diff).toMatch(change)
  expect(diff).toMatch(/^one__find of one comes from another server\n/)
  const [, identity = ''] = /^server: (v1:[0-9a-f]{16})$/m.exec(diff) ?? []
  const [, hash = ''] = /^hash: (\S+)$/m.exec(diff) ?? []
  expect(await here('pins', 'accept', 'one__find', '--hash', hash)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/add the --identity/),
  })
  const other = await here('pins', 'accept', 'one__find', '--hash', hash, '--identity', 'v1:0000000000000000')
  expect(other).toMatchObject({ code: 1, stderr: expect.stringMatching(/comes from another server than v1:0000000000000000/) })
  expect(await here('pins', 'accept', 'one__find', '--identity', 'v1:0000000000000000', '--yes')).toMatchObject(other)
  for (const several of [['--all'], ['--server', 'one']])
    expect(await here('pins', 'accept', ...several, '--identity', identity, '--yes')).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining('--identity belongs to one definition') },
    })
  expect(await waiting()).toHaveLength(4)
  expect(await run('pins', 'accept', 'one__find', '--hash', hash, '--identity', identity)).toMatchObject({ code: 0 })
  expect(await waiting()).toEqual(['one__open', 'two__find', 'two__open'])
  const rest = await run('pins', 'accept', '--all', '--yes')
  expect(rest).toMatchObject({ code: 0, stderr: expect.stringMatching(/accepted as two/) })
  expect(await waiting()).toEqual([])
  expect(`${stdout}${diff}${rest.stderr}`).not.toContain('hunter22')
})
