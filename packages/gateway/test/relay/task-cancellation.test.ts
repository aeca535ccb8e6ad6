// Tools that an upstream runs as tasks, for callers without tasks: the gateway waits for them as for any call.
import { server, tool } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client, eventually, gateway, http, listening, modern, upstream, words } from '../support/upstream-fixture.js'

const walker = () => {
  const cancelled: unknown[] = []
  const begun = { walks: 0 }
  const walk = tool({
    description: 'Walks, and asks where to',
    longRunning: 'required',
    run: async (_, ctx) => {
      begun.walks++
      ctx.signal.addEventListener('abort', () => cancelled.push(ctx.signal.reason))
      const { place } = await ctx.ask('place', 'Where to?', z.object({ place: z.string() }))
      for (let step = 1; step <= 3; step++) {
        await new Promise((resolve) => setTimeout(resolve, 60))
        ctx.progress(step, 3)
      }
      return `arrived at ${place}`
    },
  })
  return { app: server({ name: 'walker', version: '1.0.0', tools: { walk } }), cancelled, begun }
}

describe.each(['2025-11-25', modern])('a task of an upstream of %s', (revision) => {
  it.each([
    '2025-06-18',
    '2025-11-25',
    modern,
  ])('is a call for a client of %s: with its questions, progress and result', async (caller) => {
    const { url: behind } = await listening(walker().app)
    const { url } = await gateway([upstream('walker', http(behind), { revision })])
    const one = await client(url, {
      revision: caller,
      tasks: false,
      answers: { form: () => ({ action: 'accept', content: { place: 'Rome' } }) },
    })
    const steps: number[] = []
    const result = await one.call('walker__walk', {}, { onProgress: ({ progress }) => steps.push(progress) })
    expect(words(result)).toBe('arrived at Rome')
    // Tasks have no progress of their own in the revision where they are an extension.
    if (revision !== modern) expect(steps.at(-1)).toBe(3)
  })

  it('GW-013 is cancelled when its caller cancels', async () => {
    const { app, cancelled, begun } = walker()
    const { url } = await gateway([upstream('walker', http((await listening(app)).url), { revision })])
    const one = await client(url, { revision: '2025-11-25', answers: { form: () => new Promise(() => undefined) } })
    const stop = new AbortController()
    const call = one.call('walker__walk', {}, { signal: stop.signal })
    await eventually(() => begun.walks > 0)
    stop.abort()
    await expect(call).rejects.toMatchObject({ code: 'cancelled' })
    await eventually(() => cancelled.length > 0)
  })
})
