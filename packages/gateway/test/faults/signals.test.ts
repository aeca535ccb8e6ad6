// Graceful shutdown under load, and a start with a long log.
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ownWork } from '../../../toolwire/test/loop-watch.js'
import { expectWithin, howMany } from '../../../toolwire/test/soak.js'
import { longLog } from '../support/long-log.js'
import { ask } from '../support/running-gateway.js'
import { tamper } from '../support/tampered-log.js'
import { programFolder, startProgram } from './built-program.js'
import { Load } from './load.js'
import { childPeer, HttpPeer } from './peer.js'
import { place, settings } from './place.js'
import { beside } from './start-with-bad-server.js'
import { slowness, until } from './waiting.js'

let work: HttpPeer
beforeAll(async () => {
  work = await HttpPeer.start()
})
afterAll(() => work.kill())

describe('row 21: a gateway that is told to stop under load', () => {
  const stops = howMany(2, 20)
  it(`${stops} times: each accepted call is answered and recorded, and no process is left`, async () => {
    const at = place(work, 'stopped')
    const known = new Set<string>()
    for (let time = 0; time < stops; time++) {
      const gateway = await at.start()
      const load = new Load(gateway, at.received, { work: 8, risky: 0 })
      await until(() => at.received.answered.size > 3)
      await pause(Math.random() * 60)
      const before = [...at.received.answered]
      expect(await gateway.stop('SIGTERM')).toBe(0)
      await load.over()
      expect(at.received.answered.size).toBeGreaterThanOrEqual(before.length)
      expect(at.done().filter((id) => !at.received.answered.has(id) && !known.has(id))).toEqual([])
      for (const id of at.done()) known.add(id)
      at.received.answered.clear()
      for (const refusal of at.received.refused.splice(0)) expect(refusal).toContain('is being stopped')
    }
    const last = await at.start()
    expect((await ask(last, '/audit?outcome=open')).body).toMatchObject({ calls: [] })
    expect((await ask(last, '/audit/verify')).body).toMatchObject({ ok: true })
    expect(new Set(at.done()).size).toBe(at.done().length)
  })
})

describe('row 21: a gateway with a long log', () => {
  it('is ready within 3 s after a kill', async () => {
    const folder = programFolder()
    const servers = { good: childPeer('none', 'per-request').target }
    const start = () => startProgram({ folder, servers, settings })
    await (await start()).stop()
    ownWork(() => tamper(join(folder, 'data'), longLog(howMany(50_000, 1_000_000))))
    const ready: number[] = []
    // Uses the fastest of several starts, because load on the machine only adds time.
    for (let time = 0; time < howMany(1, 5) && Math.min(...ready, 10_000) > 3_000; time++) {
      const gateway = await start()
      ready.push(gateway.readyMs)
      await beside(gateway.url, () => undefined)
      expect(await gateway.stop('SIGKILL')).toBe('SIGKILL')
    }
    expectWithin(Math.min(...ready), 3_000 * slowness())
  })
})
