// Full, failing, read-only and slow disks: no call runs without its record.
import { spawnSync } from 'node:child_process'
import { rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { expectAfter, expectWithin } from '../../../toolwire/test/soak.js'
import { blockDisk } from '../support/block-disk.js'
import { blockDisks, here, itWhere, liftableLimits, smallDisks } from '../support/requirements.js'
import { ask, client, credentialsFor, words } from '../support/running-gateway.js'
import { smallDisk } from '../support/small-disk.js'
import { NotStarted, type Program, programFolder, startProgram } from './built-program.js'
import { childPeer } from './peer.js'
import { beside } from './start-with-bad-server.js'
import { until } from './waiting.js'

const settings = { guard: { rate: false, lists: false, approvals: false } }

/** A gateway with its data on that disk, a server that notes each completed call, and a function for calls. */
async function gatewayOn(disk: string, before = '') {
  const work = childPeer('writes', 'per-request')
  const servers = { work: work.target, good: childPeer('none', 'per-request').target }
  const folder = programFolder()
  const gateway = await startProgram({ folder, servers, before, settings, dataDir: disk })
  const caller = await client(gateway.url)
  let last = 0
  /** Returns whether the call succeeded from the caller's view. */
  const call = async (more = '') => {
    const id = String(++last)
    const outcome = await caller.call('work__bad', { id, more })
    if (!outcome.isError) expect(words(outcome)).toBe(`done ${id}`)
    return { done: outcome.isError !== true, text: words(outcome), id }
  }
  const executed = () => work.notes().filter((word) => word.startsWith('done '))
  return { gateway, folder, servers, call, executed }
}

const health = async (gateway: Program) => {
  const response = await fetch(`http://127.0.0.1:${gateway.port}/health`, { headers: credentialsFor(gateway) })
  return { status: response.status, body: JSON.stringify(await response.json()) }
}

type Calls = Pick<Awaited<ReturnType<typeof gatewayOn>>, 'gateway' | 'call' | 'executed'>

/** While the disk fails, calls are refused before they reach the server, and health reports the reason. */
async function refuses({ gateway, call, executed }: Calls, why: RegExp): Promise<void> {
  await until(async () => !(await call('x'.repeat(20_000))).done, 60_000)
  const before = executed().length
  for (const text of [await call(), await call()].map((outcome) => outcome.text)) expect(text).toMatch(/could not be recorded/)
  expect(executed()).toHaveLength(before)
  await until(async () => (await health(gateway)).status === 503)
  expect((await health(gateway)).body).toMatch(why)
}

/** Afterwards, the gateway recovers by itself, and the log is intact with a record of each completed call. */
async function recovers({ gateway, call, executed }: Calls): Promise<void> {
  await until(async () => (await health(gateway)).status === 200, 60_000)
  await beside(gateway.url, async () => expect((await call()).done).toBe(true))
  expect((await ask(gateway, '/audit/verify')).body).toMatchObject({ ok: true })
  const { calls } = (await ask(gateway, '/audit?tool=work__bad&limit=1000')).body as {
    calls: { outcome?: string; reason?: string }[]
  }
  const refused = calls.filter(({ reason }) => reason === 'unrecorded').length
  // A call whose outcome could not be recorded still has its intent in the log.
  expect(calls.length - refused).toBeGreaterThanOrEqual(executed().length)
}

describe('row 18: a disk', () => {
  itWhere('a disk of a few megabytes', smallDisks)('that is full', async () => {
    const disk = smallDisk('size=12m') ?? ''
    const on = await gatewayOn(disk)
    await beside(on.gateway.url, () => on.call())
    const { bavail, bsize } = statfsSync(disk)
    writeFileSync(join(disk, 'ballast'), Buffer.alloc(bavail * bsize - 200_000))
    await refuses(on, /disk is full/)
    rmSync(join(disk, 'ballast'))
    await recovers(on)
  })

  it.runIf(here('limits of a process that can be lifted from outside', liftableLimits))('that fails to be written', async () => {
    const disk = join(programFolder(), 'data')
    const on = await gatewayOn(disk, 'trap "" XFSZ;')
    await beside(on.gateway.url, () => on.call())
    // The system refuses writes beyond this size until the limit is lifted.
    const longest = statSync(join(disk, 'toolwire.db-wal')).size + 50_000
    spawnSync('prlimit', ['--pid', `${on.gateway.process.pid}`, `--fsize=${longest}:unlimited`])
    await refuses(on, /could not be read or written/)
    spawnSync('prlimit', ['--pid', `${on.gateway.process.pid}`, '--fsize=unlimited'])
    await recovers(on)
  })

  itWhere('a disk that can be made read-only', blockDisks)(
    'that has become read-only: calls are refused, records can be read, and no gateway starts on it',
    async () => {
      const disk = blockDisk()
      const on = await gatewayOn(disk.folder)
      await beside(on.gateway.url, () => on.call())
      disk.breakDown()
      await refuses(on, /read-only|could not be read or written|cannot be opened/)
      expect((await ask(on.gateway, '/audit?limit=1000')).body).toMatchObject({ calls: expect.any(Array) })
      expect((await ask(on.gateway, '/audit/verify')).body).toMatchObject({ ok: true })
      await on.gateway.stop('SIGKILL')
      const other = await startProgram({ folder: on.folder, servers: on.servers, settings, dataDir: disk.folder }).catch(
        (thrown: unknown) => thrown,
      )
      expect(other).toBeInstanceOf(NotStarted)
      expect(String(other)).toMatch(/read-only|cannot be written/)
    },
  )

  itWhere('a disk that can be made to wait', blockDisks)(
    'that blocks for 10 s: calls are refused after five, none runs unrecorded, and other requests are answered',
    async () => {
      const disk = blockDisk()
      const on = await gatewayOn(disk.folder)
      await beside(on.gateway.url, () => on.call())
      disk.freeze()
      const began = performance.now()
      const waiting = on.call()
      // Requests that need no disk are answered.
      await until(async () => (await health(on.gateway)).status === 503)
      expect((await (await client(on.gateway.url)).listTools()).length).toBeGreaterThan(0)
      const outcome = await waiting
      expectAfter(performance.now() - began, 4_900)
      expect(outcome).toMatchObject({ done: false, text: expect.stringContaining('could not be recorded') })
      expect(on.executed()).not.toContain(`done ${outcome.id}`)
      expectWithin(performance.now() - began, 20_000)
      await until(() => performance.now() - began > 10_000)
      disk.thaw()
      await recovers(on)
      expect(on.executed()).not.toContain(`done ${outcome.id}`)
    },
  )
})
