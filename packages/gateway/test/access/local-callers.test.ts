// Local programs need no credentials. Their sessions identify them, and their own claims do not.
import type { Answering } from 'toolwire/relay'
import { describe, expect, it } from 'vitest'
import { defaultGuard } from '../../src/config/gateway-config.js'
import { child, client, eventually, program, started, upstreamConfig, words } from '../support/running-gateway.js'

const older = '2025-11-25'
/** Over stdio, a server of that revision does not say which call its question belongs to. */
const asking = () => upstreamConfig('asking', child(program('asking-child.mjs'), older), { trusted: true })
const guard = { ...defaultGuard, approvals: false, rate: false } as const

/** The server's question follows as a quotation after a line of the gateway. */
const ownWords = (message: string): string => message.slice(message.indexOf('\n> ') + 3)

async function person(url: string, revision = older) {
  const asked: string[] = []
  const form: Answering['form'] = ({ message: quoted }) => {
    const message = ownWords(quoted)
    asked.push(message)
    const content = message === 'Which color?' ? { color: 'red' } : message === 'Which size?' ? { size: 7 } : { people: 4 }
    return { action: 'accept', content }
  }
  const one = await client(url, { revision, answers: { form }, clientInfo: { name: 'the same', version: '1' } })
  return { one, asked }
}

describe('a local program', () => {
  it('is asked about each of its calls, even if several run at once', async () => {
    const gateway = await started({ upstreams: [asking()], guard })
    const { one, asked } = await person(gateway.url)
    const calls = [one.call('asking__book', { at: 'noon' }), one.call('asking__twice'), one.call('asking__book', { at: 'six' })]
    expect((await Promise.all(calls)).map(words).sort()).toEqual(['booked at noon for 4', 'booked at six for 4', 'red in 7'])
    expect([...new Set(asked)].sort()).toEqual(['For how many?', 'Which color?', 'Which size?'])
  })

  it('is asked in the end, even if the call to which a question was assigned has ended', async () => {
    const gateway = await started({ upstreams: [asking()], guard })
    let booking = () => {}
    const isBooking = new Promise<void>((resolve) => {
      booking = resolve
    })
    const asked: string[] = []
    const form: Answering['form'] = async ({ message: quoted }) => {
      const message = ownWords(quoted)
      asked.push(message)
      if (message === 'Which size?') {
        await new Promise((resolve) => setTimeout(resolve, 1_000))
        return { action: 'accept', content: { size: 7 } }
      }
      if (message === 'Which color?') {
        await isBooking
        return { action: 'accept', content: { color: 'red' } }
      }
      booking()
      // The question about the size arrives while this one is open, and is assigned to the call about the table.
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      return { action: 'accept', content: { people: 4 } }
    }
    const one = await client(gateway.url, { revision: older, answers: { form } })
    const color = one.call('asking__twice')
    await eventually(() => asked.length === 1)
    const table = one.call('asking__book', { at: 'noon' })
    expect(words(await table)).toBe('booked at noon for 4')
    expect(words(await color)).toBe('red in 7')
    expect(asked.slice(0, 3)).toEqual(['Which color?', 'For how many?', 'Which size?'])
  })

  it('is asked again at once after it has cancelled a call', async () => {
    const gateway = await started({ upstreams: [asking()], guard })
    const { one } = await person(gateway.url)
    const stop = new AbortController()
    const given = one.call('asking__wait', {}, { signal: stop.signal })
    await eventually(() => gateway.control.underWay() === 1)
    stop.abort()
    await expect(given).rejects.toThrow()
    expect(words(await one.call('asking__book', { at: 'noon' }))).toBe('booked at noon for 4')
  })

  it('GW-015 is not asked about the call of another, whatever both claim to be', async () => {
    const gateway = await started({ upstreams: [asking()], guard })
    const [mine, other] = await Promise.all([person(gateway.url), person(gateway.url)])
    const stop = new AbortController()
    const waits = other.one.call('asking__wait', {}, { signal: stop.signal }).catch(() => undefined)
    await eventually(() => gateway.control.underWay() === 1)
    const refused = await mine.one.call('asking__book', { at: 'noon' })
    expect(refused.isError).toBe(true)
    expect([mine.asked, other.asked]).toEqual([[], []])
    stop.abort()
    await waits
    // Nor about a cancelled call, whose cancellation may not have reached the server yet.
    expect((await mine.one.call('asking__book', { at: 'noon' })).isError).toBe(true)
    expect([mine.asked, other.asked]).toEqual([[], []])
  })

  it('GW-015 is not asked about one of two calls without a common session', async () => {
    const gateway = await started({ upstreams: [asking()], guard })
    const { one, asked } = await person(gateway.url, '2026-07-28')
    expect(words(await one.call('asking__book', { at: 'noon' }))).toBe('booked at noon for 4')
    const stop = new AbortController()
    const waits = one.call('asking__wait', {}, { signal: stop.signal }).catch(() => undefined)
    await eventually(() => gateway.control.underWay() === 1)
    expect((await one.call('asking__book', { at: 'six' })).isError).toBe(true)
    expect(asked).toHaveLength(1)
    stop.abort()
    await waits
  })
})
