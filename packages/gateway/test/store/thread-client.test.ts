import { describe, expect, it } from 'vitest'
import { expectWithin } from '../../../toolwire/test/soak.js'
import { ThreadClient } from '../../src/store/thread-client.js'
import { asked } from '../support/approval-requests.js'
import { append, intentOf, newDirectory, newStore } from '../support/stores.js'

/** A thread that opens a store, and then runs this code. */
const threadThat = (code: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads'
      ${code.startsWith('throw') ? '' : 'parentPort.postMessage({ opened: true });'} ${code}`)}`,
  )

const start = { directory: '/nowhere', file: '/nowhere/db', wall: 0 }

describe('the thread of the store', () => {
  it('that fails rejects all pending requests, and reports the reason from then on', async () => {
    const desk = await ThreadClient.open(
      threadThat(`parentPort.on('message', () => { throw new Error('out of memory') })`),
      start,
    )
    expect(desk.health.trouble).toBeUndefined()
    const answers = await Promise.allSettled([desk.run('head'), desk.run('mark')])
    for (const answer of answers) expect(answer).toMatchObject({ reason: { message: expect.stringContaining('out of memory') } })
    await expect(desk.run('head')).rejects.toThrow('out of memory')
    expect(desk.health.trouble).toBe(desk.broken)
    await desk.close()
  })

  it('reports its progress during long work', async () => {
    const program = `parentPort.on('message', ({ id, job }) => {
      if (job === 'verify') setInterval(() => parentPort.postMessage({ id, progress: 1 }), 20)
    })`
    const desk = await ThreadClient.open(threadThat(program), start)
    let reports = 0
    const verified = desk.watch('verify', { from: undefined, head: undefined }, () => reports++).catch(() => undefined)
    const asked = performance.now()
    await expect.poll(() => reports).toBeGreaterThan(30)
    expectWithin(desk.silentMs, (performance.now() - asked) / 2)
    const unanswered = desk.run('head').catch(() => undefined)
    const since = performance.now()
    await expect.poll(() => desk.silentMs).toBeGreaterThan(300)
    expectWithin(desk.silentMs, performance.now() - since + 5)
    void [verified, unanswered]
  })

  it('that exits by itself is reported, too', async () => {
    const desk = await ThreadClient.open(threadThat(`parentPort.on('message', () => process.exit(3))`), start)
    await expect(desk.run('head')).rejects.toThrow('The database thread has ended')
  })

  it('that never starts is an error', async () => {
    await expect(ThreadClient.open(threadThat(`throw new Error('no such library')`), start)).rejects.toThrow('no such library')
  })
})

describe('writes in one batch', () => {
  it('succeed or fail independently', async () => {
    const directory = newDirectory()
    const store = await newStore({}, directory)
    await append(store, intentOf(1))
    const [first, bad, second] = await Promise.allSettled([
      store.vault.tokens('mail', 'ada').set('a', '1'),
      store.approvals.add(asked({ expiresAt: Number.NaN }), 10),
      store.vault.tokens('mail', 'ada').set('b', '2'),
    ])
    expect([first?.status, bad?.status, second?.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(store.trouble).toBeUndefined()
    await store.close()
    const { vault, approvals } = await newStore({}, directory)
    expect([await vault.tokens('mail', 'ada').get('a'), await vault.tokens('mail', 'ada').get('b')]).toEqual(['1', '2'])
    expect(await approvals.pending()).toEqual([])
  })
})
