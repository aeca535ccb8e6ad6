// Secrets in arguments: only the server and the approvers of a call see them.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { howMany } from '../../../toolwire/test/soak.js'
import { samples } from '../../../toolwire/test/text/secret-samples.js'
import { truncateArguments } from '../../src/monitoring/calls/truncate-arguments.js'
import { listening } from '../support/event-stream.js'
import { ask, client, pending, started, words } from '../support/running-gateway.js'
import { notes, open } from '../support/upstream-configs.js'

const seed = 8
const escaped = (text: string) => JSON.stringify(text).slice(1, -1)

describe('a secret in the arguments of a call', () => {
  it('is in no event, no list of calls, no log and no record, and reaches its server', async () => {
    const gateway = await started({ upstreams: [notes()], guard: open, logLevel: 'debug' })
    const stream = await listening(gateway, '/events')
    const one = await client(gateway.url)
    const chosen = fc.sample(fc.constantFrom(...samples), { numRuns: 12, seed })
    for (const { text, secret } of chosen) {
      expect(words(await one.call('notes__write', { text }))).toContain(secret.slice(0, 20))
      const begun = await stream.first(({ data }) => data.what === 'begun' && JSON.stringify(data).includes('secret removed'))
      expect(JSON.stringify(begun)).not.toContain(escaped(secret))
    }
    const log = await (await fetch(`http://127.0.0.1:${gateway.port}/api/v1/audit/export`)).text()
    for (const { secret } of chosen) {
      expect(gateway.log.join('\n')).not.toContain(secret)
      expect(log).not.toContain(escaped(secret))
      expect(log).not.toContain(escaped(escaped(secret)))
    }
  })

  it('is shown to the approver of the call, but not in the list of calls meanwhile', async () => {
    const gateway = await started({ upstreams: [notes()] })
    const one = await client(gateway.url)
    const [{ text, secret }] = fc.sample(fc.constantFrom(...samples), { numRuns: 1, seed }) as [(typeof samples)[number]]
    const call = one.call('notes__write', { text }, { onProgress: () => undefined })
    const { id, arguments: shown } = await pending(gateway)
    expect(shown).toEqual({ text })
    const calls = JSON.stringify((await ask(gateway, '/calls')).body)
    expect(calls).toContain('[secret removed: ')
    expect(calls).not.toContain(escaped(secret))
    await ask(gateway, `/approvals/${id}`, { body: { decision: 'allow' } })
    expect(words(await call)).toContain(secret.slice(0, 20))
  })

  it('is not shown in part, wherever the arguments are truncated', () => {
    fc.assert(
      fc.property(fc.constantFrom(...samples), fc.integer({ min: 3_900, max: 4_110 }), ({ text, secret }, before) => {
        const shown = JSON.stringify(truncateArguments({ text: `${' '.repeat(before)}${text}` }))
        expect(shown).not.toContain(escaped(secret).slice(0, 24))
      }),
      { numRuns: howMany(120, 400), seed },
    )
  })
})
