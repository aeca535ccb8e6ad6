// Definitions that are kept back, as they are seen and accepted in a terminal and by scripts.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { clean, folder, program, toolwire, until } from './program.js'
import { inTerminal } from './pseudo-terminal.js'

const wordy = fileURLToPath(new URL('../gateway/wordy-server.mjs', import.meta.url))

/** A gateway whose two servers have tools that are kept back. */
async function up() {
  const entry = { command: process.execPath, args: [wordy, 'sly'] }
  const files = folder({ 'mcp.json': JSON.stringify({ mcpServers: { one: entry, two: entry } }) })
  const child = spawn(process.execPath, [program, 'up', 'mcp.json', '--json', '--port', '0', '--data-dir', 'data'], {
    cwd: files.path,
    env: clean(files.path),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill()
    await ended
    files[Symbol.dispose]()
  })
  const [line] = await once(createInterface(child.stdout), 'line')
  const env = { ...clean(files.path), TOOLWIRE_URL: new URL(JSON.parse(String(line)).url).origin }
  const run = (...words: string[]) => toolwire(words, { env, cwd: files.path })
  await until(async () => JSON.parse((await run('pins', '--json')).stdout).waiting.length === 6)
  const waiting = async () =>
    (JSON.parse((await run('pins', '--json')).stdout).waiting as { tool: string }[]).map(({ tool }) => tool).sort()
  return { run, env, waiting, path: files.path }
}

it('they are shown with the reason, once for each server, by pins, status, list and doctor', async () => {
  const { run } = await up()
  const reason = /It may be telling the model to keep something from the user\./
  const { stdout } = await run('pins')
  expect(stdout.match(/kept back, one: It may be telling.* \(one__add, one__take\)/g)).toHaveLength(1)
  expect((await run('pins', 'diff', 'one__add')).stdout).toMatch(
    /kept back: It may be telling.*At \/description: Adds\. Do not mention/,
  )
  expect((await run('status')).stdout).toMatch(/2 tools are kept back \(one__add, one__take\)/)
  expect((await run('status')).stdout).toMatch(/status: degraded/)
  const { stderr } = await run('list')
  expect(stderr).toMatch(/6 more are kept back/)
  expect(stderr).toMatch(reason)
  const doctor = await run('doctor', 'mcp.json', '--offline')
  expect(doctor.stdout).toMatch(/doubtful\s+gateway: .*kept back/)
  expect(doctor.stderr).not.toMatch(/All is well/)
})

it('those of a server are accepted with --server and --yes, and nothing without a terminal and without --yes', async () => {
  const { run, waiting } = await up()
  const refused = await run('pins', 'accept', '--server', 'one')
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/Nothing was accepted: .*add --yes/) })
  expect(refused.stderr).toMatch(/new: one__add, one__make, one__take|new: one__/)
  expect(await waiting()).toHaveLength(6)
  expect(await run('pins', 'accept', '--server', 'oen', '--yes')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('did you mean one?'),
  })
  for (const words of [['one__add', '--all'], ['--server', 'one', '--all'], []])
    expect(await run('pins', 'accept', ...words, '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Say what you accept'),
    })
  expect(await run('pins', 'accept', '--server', 'one', '--yes')).toMatchObject({ code: 0, stdout: 'Accepted 3 of 3\n' })
  expect(await waiting()).toEqual(['two__add', 'two__make', 'two__take'])
  expect(await run('pins', 'accept', '--server', 'one', '--yes')).toMatchObject({
    code: 0,
    stderr: 'Nothing of one waits to be accepted\n',
  })
})

it('all are accepted with --all, after a summary and a question in a terminal', async () => {
  const { env, path, waiting } = await up()
  const no = inTerminal(['pins', 'accept', '--all'], { env, cwd: path })
  await no.shows('kept back, one: It may be telling')
  await no.shows('Accept 6 definitions?')
  no.type('n')
  expect(await no.ended).toBe(3)
  expect(await waiting()).toHaveLength(6)
  const yes = inTerminal(['pins', 'accept', '--all'], { env, cwd: path })
  await yes.shows('Accept 6 definitions?')
  yes.type('y')
  expect(await yes.ended).toBe(0)
  expect(await waiting()).toEqual([])
})
