import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { server, tool } from 'toolwire'
import { audit } from 'toolwire/guard'
import { harness } from 'toolwire/testing'
import { describe, expect, it } from 'vitest'
import { expectWithin } from '../../../toolwire/test/soak.js'
import { type Child, start } from '../programs/child-processes.js'
import { openDatabase } from '../support/open-database.js'
import { here, itWhere, liftableLimits, smallDisks } from '../support/requirements.js'
import { remount, smallDisk } from '../support/small-disk.js'
import { append, intentOf, newDirectory, newStore } from '../support/stores.js'

async function tell(child: Child, line: string, answer: RegExp): Promise<string> {
  child.lines.length = 0
  child.process.stdin?.write(`${line}\n`)
  return child.untilLine(answer)
}

/** Polls until the store reports no trouble, without a write. */
async function recovered(child: Child): Promise<void> {
  await expect.poll(() => tell(child, 'trouble', /^trouble/)).toBe('trouble none')
}

describe('a failing disk', () => {
  it.runIf(here('limits of a process that can be lifted from outside', liftableLimits))(
    'refuses the record with the reason, and recovers by itself',
    async () => {
      // The system refuses writes beyond this size until the limit is lifted from outside.
      const child = await start('commanded.program.ts', newDirectory(), 'trap "" XFSZ; ulimit -S -f 1024;')
      await child.untilLine(/^ready/)
      expect(await tell(child, 'append', /^(written|refused)/)).toBe('written 1')
      expect(await tell(child, 'fill', /^refused/)).toContain('calls are refused until it works')
      const written = Number(
        child.lines
          .filter((line) => line.startsWith('written'))
          .at(-1)
          ?.split(' ')[1],
      )
      expect(written).toBeGreaterThan(5)
      expect(await tell(child, 'trouble', /^trouble/)).toContain('The disk could not be read or written')
      spawnSync('prlimit', ['--pid', `${child.process.pid}`, '--fsize=unlimited'])
      await recovered(child)
      expect(await tell(child, 'append', /^(written|refused)/)).toBe(`written ${written + 1}`)
      expect(await tell(child, 'verify', /^verified/)).toContain(`"ok":true,"entries":${written + 1}`)
    },
  )

  const itOnDisk = itWhere('a disk of a few megabytes', smallDisks)

  itOnDisk('refuses the record when it is full', async () => {
    const directory = smallDisk('size=3m')!
    const child = await start('commanded.program.ts', directory)
    await child.untilLine(/^ready/)
    writeFileSync(join(directory, 'ballast'), Buffer.alloc(1_500_000))
    expect(await tell(child, 'fill', /^refused/)).toContain('The disk is full. Make room on it')
    const written = Number(
      child.lines
        .filter((line) => line.startsWith('written'))
        .at(-1)
        ?.split(' ')[1],
    )
    rmSync(join(directory, 'ballast'))
    await recovered(child)
    expect(await tell(child, 'append', /^(written|refused)/)).toBe(`written ${written + 1}`)
    expect(await tell(child, 'verify', /^verified/)).toContain(`"ok":true,"entries":${written + 1}`)
  })

  itOnDisk('because it is read-only, and then no store is opened there either', async () => {
    const directory = smallDisk('size=8m')!
    const child = await start('commanded.program.ts', directory)
    await child.untilLine(/^ready/)
    child.process.stdin?.end('close\n')
    await child.ended
    expect(remount(directory, 'ro')).toBe(true)
    await expect(newStore({}, directory)).rejects.toThrow(/read-only|cannot be written/)
    expect(remount(directory, 'rw')).toBe(true)
    await newStore({}, directory)
  })
})

describe('a stalled disk', () => {
  it('blocks only the thread of the store; it is reported, and all writes complete in the end', async () => {
    const directory = newDirectory()
    const store = await newStore({}, directory)
    const other = openDatabase(directory)
    other.exec('BEGIN IMMEDIATE')
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    let safe = false
    const written = append(store, intentOf(1), intentOf(2)).then(() => {
      safe = true
    })
    expect(store.trouble).toBeUndefined()
    await expect.poll(() => store.trouble).toMatchObject({ message: expect.stringMatching(/has not answered for \d s/) })
    expect(safe).toBe(false)
    // Only the store's thread has waited for five seconds.
    expectWithin(delay.max / 1_000_000, 1_000)
    other.exec('COMMIT')
    other.close()
    await written
    expect(store.trouble).toBeUndefined()
    expect(store.audit.head?.sequence).toBe(2)
  })
})

describe('a call', () => {
  it('is refused while its record cannot be written, and runs afterwards', async () => {
    const directory = newDirectory()
    const store = await newStore({}, directory)
    const sent: string[] = []
    const policy = audit({ log: store.audit, waitMs: 4_000 })
    const send = tool({ description: 'Sends.', run: () => `${sent.push('sent')}` })
    const mail = server({ name: 'mail', version: '1.0.0', tools: { send }, policies: [policy] })
    await using client = await harness(mail)
    await client.call('send')
    expect(sent).toEqual(['sent'])
    const other = openDatabase(directory)
    other.exec('BEGIN IMMEDIATE')
    expect(JSON.stringify(await client.call('send'))).toContain('could not be recorded')
    expect(policy.trouble).toBeDefined()
    other.exec('COMMIT')
    other.close()
    await expect.poll(() => store.audit.head?.sequence).toBeGreaterThanOrEqual(4)
    await client.call('send')
    expect(sent).toEqual(['sent', 'sent'])
    expect((await store.audit.search({ outcome: 'refused' })).calls[0]?.reason).toBe('unrecorded')
  })
})
