// The schedule by which a gateway sends heads to its witness.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { SignedHead } from '../../src/store/audit/signed-head.js'
import { witnessSchedule } from '../../src/store/witness/witness-schedule.js'
import { until } from '../support/running-gateway.js'

/** A witness that answers when the test tells it to. */
async function slowWitness() {
  const kept: SignedHead[] = []
  const waiting: ServerResponse[] = []
  const server = createServer((req, res) => {
    let body = ''
    req.setEncoding('utf8').on('data', (piece: string) => {
      body += piece
    })
    req.on('end', () => {
      kept.push(JSON.parse(body) as SignedHead)
      waiting.push(res)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const answer = (status = 204) => {
    for (const res of waiting.splice(0)) res.writeHead(status).end()
  }
  return { to: `http://127.0.0.1:${(server.address() as AddressInfo).port}/heads`, kept, answer, waiting }
}

function scheduled() {
  const at = { sequence: 1 }
  const troubles: (string | undefined)[] = []
  const signHead = () =>
    at.sequence === 0
      ? undefined
      : { sequence: at.sequence, hash: `hash ${at.sequence}`, at: 1, key: 'key', signature: 'signature' }
  const schedule = witnessSchedule({ signHead }, (words) => void troubles.push(words))
  onTestFinished(() => schedule.use(undefined))
  return { at, troubles, schedule }
}

const sequences = ({ kept }: { kept: readonly SignedHead[] }) => kept.map(({ sequence }) => sequence)
const everyMs = 20

describe('a witness', () => {
  it('receives each head once, and the last one at the end', async () => {
    const witness = await slowWitness()
    const { at, schedule, troubles } = scheduled()
    schedule.use({ to: witness.to, everyMs })
    await until(() => witness.waiting.length === 1)
    witness.answer()
    at.sequence = 2
    await until(() => witness.waiting.length === 1)
    at.sequence = 3
    const closed = schedule.close()
    witness.answer()
    await until(() => witness.waiting.length === 1)
    witness.answer()
    await closed
    await schedule.close()
    expect(sequences(witness)).toEqual([1, 2, 3])
    expect(troubles).toEqual([])
  })

  it('receives nothing while the log is empty, and nothing after it was removed from the config', async () => {
    const witness = await slowWitness()
    const { at, schedule } = scheduled()
    at.sequence = 0
    schedule.use({ to: witness.to, everyMs: 60_000 })
    await schedule.close()
    at.sequence = 1
    schedule.use(undefined)
    await schedule.close()
    expect(witness.kept).toEqual([])
  })

  it('that replaces another receives the head that the other has, too', async () => {
    const [one, other] = [await slowWitness(), await slowWitness()]
    const { schedule } = scheduled()
    schedule.use({ to: one.to, everyMs: 60_000 })
    await until(() => one.waiting.length === 1)
    schedule.use({ to: other.to, everyMs: 60_000 })
    one.answer()
    await until(() => other.waiting.length === 1)
    other.answer()
    await schedule.close()
    schedule.use({ to: one.to, everyMs: 60_000 })
    await until(() => one.waiting.length === 1)
    one.answer()
    await schedule.close()
    schedule.use({ to: one.to, everyMs: 30_000 })
    await schedule.close()
    expect([sequences(one), sequences(other)]).toEqual([[1, 1], [1]])
  })

  it('that hangs is awaited once, however many times a head was due meanwhile', async () => {
    const witness = await slowWitness()
    const { schedule } = scheduled()
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    schedule.use({ to: witness.to, everyMs })
    await until(() => witness.waiting.length === 1)
    vi.advanceTimersByTime(100 * everyMs)
    const closed = schedule.close()
    witness.answer(503)
    await until(() => witness.waiting.length === 1)
    witness.answer(503)
    await Promise.race([closed, until(() => witness.waiting.length === 1)])
    expect(sequences(witness)).toEqual([1, 1])
  })

  it('that rejects heads is reported once for each reason, and retried with the same head', async () => {
    const witness = await slowWitness()
    const { schedule, troubles } = scheduled()
    schedule.use({ to: witness.to, everyMs })
    for (const status of [503, 503, 403, 204]) {
      await until(() => witness.waiting.length === 1)
      witness.answer(status)
    }
    await schedule.close()
    expect(troubles).toEqual([expect.stringContaining('HTTP 503'), expect.stringContaining('HTTP 403'), undefined])
    expect(sequences(witness)).toEqual([1, 1, 1, 1])
  })
})
