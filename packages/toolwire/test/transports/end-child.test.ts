// The end of child processes: by themselves, on request, and by force.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { endChild } from '../../src/transports/stdio/client/child/end-child.js'
import { expectAfter, expectWithin } from '../soak.js'
import { closeAll, lives, request, start } from './child-fixture.js'
import { until } from './fixture.js'

const folder = mkdtempSync(join(tmpdir(), 'toolwire-child-'))
afterEach(closeAll)
afterAll(() => rmSync(folder, { recursive: true }))

/** On a busy machine, events may be delayed. */
const onIdle = { retry: 4 }
const onPosix = describe.skipIf(process.platform === 'win32')
const gone = (pids: unknown[]) => until(() => !pids.map(Number).some(lives))
const timed = async (work: Promise<unknown>) => {
  const from = performance.now()
  await work
  return performance.now() - from
}

describe('a child that ends by itself', () => {
  onPosix('on Windows', () => {
    it('releases its process id, and a new process with this id is left alone', async () => {
      const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'], { detached: true, stdio: 'ignore' })
      await new Promise((resolve) => other.once('spawn', resolve))
      await endChild(other.pid!, Promise.resolve(), 10, 'win32')
      expect(process.kill(other.pid!, 'SIGKILL')).toBe(true)
      expect(await new Promise((resolve) => other.once('exit', (_, signal) => resolve(signal)))).toBe('SIGKILL')
    })
  })

  it(
    'in the middle of a line: the fragment is ignored, and the end is reported within 100 ms with the last output',
    onIdle,
    async () => {
      let printed = 0
      const { link, notes } = await start('exits-mid-line', { onStderr: () => (printed ||= performance.now()) })
      link.send(request(1))
      const why = await notes.ending()
      // The child prints to stderr right before it exits.
      expectWithin(performance.now() - printed, 150)
      expect(why).toMatchObject({ code: 'exited', sent: true })
      expect(why.message).toMatch(/exited with code 3.*\nthe disk is full$/s)
      expect(notes.messages).toEqual([])
      await new Promise((resolve) => setTimeout(resolve, 150))
      expect(notes.endings).toHaveLength(1)
    },
  )

  it('by a signal: the end is reported within 100 ms, once, with the signal', onIdle, async () => {
    const { link, notes } = await start('echo')
    link.send(request(1))
    const pid = Number((await notes.result(1)).pid)
    link.send(request(2))
    const ending = notes.ending()
    process.kill(pid, 'SIGKILL')
    expectWithin(await timed(ending), 100)
    expect((await ending).message).toContain('was ended by SIGKILL')
    await link.close()
    expect(notes.endings).toHaveLength(1)
  })

  it('repeatedly: each connection reports its end, and nothing is left', async () => {
    const handles = () => process.getActiveResourcesInfo().filter((kind) => kind !== 'Timeout' && kind !== 'Immediate').length
    const before = handles()
    for (let n = 0; n < 10; n++) {
      const { link, notes } = await start('exits-at-once')
      expect((await notes.ending()).message).toMatch(/exited with code 1.*no configuration/s)
      await link.close()
    }
    await until(() => handles() <= before)
  })

  it('after its response: the response is received before the end', async () => {
    const { link, notes } = await start('answers-and-exits')
    for (let id = 1; id <= 50; id++) link.send(request(id))
    await notes.ending()
    expect(notes.answers()).toEqual([{ id: 1, result: {} }])
  })

  it('by closing stdout: this counts as the end, even if the process stays', async () => {
    const { link, notes } = await start('closes-stdout', { graceMs: 100 })
    link.send(request(1))
    expect((await notes.ending()).message).toContain('closed its output')
  })

  it('and accepts no more messages: they fail as unsent', async () => {
    const { link, notes } = await start('exits-at-once')
    await notes.ending()
    link.send(request(7))
    await until(() => notes.losses.length > 0)
    expect(notes.losses).toMatchObject([{ id: 7, why: { sent: false } }])
  })
})

onPosix('closing', () => {
  it('STDIO-010 a well-behaved child only sees the end of its input', async () => {
    const file = join(folder, 'polite')
    const { link, notes } = await start('polite', { file, graceMs: 60_000 })
    await notes.result(1)
    expectWithin(await timed(link.close()), 2_000)
    expect(readFileSync(file, 'utf8')).toBe('EOF exit ')
    expect(notes.endings).toEqual([])
  })

  it.each([
    'stubborn',
    'loops-on-exit',
  ])('STDIO-010 a child that ignores the end of its input is ended in time: %s', async (behaviour) => {
    const { link, notes } = await start(behaviour, { graceMs: 300 })
    const { pid } = await notes.result(1)
    const took = await timed(link.close())
    expectAfter(took, 300)
    expectWithin(took, 2_000)
    expect(lives(Number(pid))).toBe(false)
  })

  it('ends a stopped child', async () => {
    const { link, notes } = await start('echo', { graceMs: 100 })
    link.send(request(1))
    const pid = Number((await notes.result(1)).pid)
    process.kill(pid, 'SIGSTOP')
    await link.close()
    expect(lives(pid)).toBe(false)
  })

  it('sends pending messages before it ends the input', async () => {
    const file = join(folder, 'last-words')
    const { link } = await start('recorder', { file, graceMs: 60_000 })
    link.send(request(1))
    await link.close()
    expect(readFileSync(file, 'utf8')).toBe(`${request(1).text}\n`)
  })

  it('ends a grandchild that holds the pipes', async () => {
    const { link, notes } = await start('grandchild')
    const { pid, holder } = await notes.result(1)
    expectWithin(await timed(link.close()), 2_000)
    await gone([pid, holder])
  })

  it('is not necessary for a grandchild whose parent has exited, and that exit is still reported', onIdle, async () => {
    const { notes } = await start('grandchild')
    const { pid, holder } = await notes.result(1)
    const ending = notes.ending()
    process.kill(Number(pid), 'SIGKILL')
    expectWithin(await timed(ending), 100)
    await gone([pid, holder])
  })
})

onPosix('the end of this process', () => {
  const bundle = join(folder, 'way.mjs')
  const way = fileURLToPath(new URL('../../src/transports/stdio/client/child/child-endpoint.ts', import.meta.url))
  const script = fileURLToPath(new URL('children/parent.mjs', import.meta.url))
  const common = { bundle: true, format: 'esm', platform: 'node', logLevel: 'silent' } as const
  beforeAll(() => build({ ...common, entryPoints: [way], outfile: bundle }))

  async function parent(...args: string[]): Promise<{ process: ChildProcess; pids: number[] }> {
    const started = spawn(process.execPath, [script, bundle, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    started.stdout.on('data', (chunk: Buffer) => {
      said += chunk
    })
    await until(() => said.endsWith('\n'))
    return { process: started, pids: JSON.parse(said) }
  }

  it.each(['SIGKILL', 'SIGINT', 'SIGTERM'] as const)('by %s leaves no orphans', async (signal) => {
    const { process, pids } = await parent()
    expect(pids).toHaveLength(3)
    expect(pids.every(lives)).toBe(true)
    process.kill(signal)
    await gone(pids)
  })

  it('by a regular exit leaves no orphans either', async () => {
    const { pids } = await parent('exit')
    expect(pids).toHaveLength(3)
    await gone(pids)
  })
})
