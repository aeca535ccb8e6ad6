// Policies for a server of the pocket profile.
import { server, tool } from 'toolwire'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { connect } from '../../src/client/index.js'
import { type AuditRecord, approve, audit } from '../../src/guard.js'
import { person, refused } from './people.js'

it('SECC-001 SECC-004 PKT-008 asks before a pocket server is called, times out if it is slow, and records all of it', async () => {
  const made: string[] = []
  const pay = tool({
    description: 'Pays',
    hints: { readOnly: true },
    input: z.object({ to: z.string() }),
    run: ({ to }, { signal }) => {
      made.push(to)
      return to === 'nobody' ? new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('late'))) : 'paid'
    },
  })
  const app = server({ name: 'pocket', version: '1.0.0', profile: 'pocket', tools: { pay } })
  const records: AuditRecord[] = []
  const { asked, ask } = person('allow', 'deny', 'allow')
  const policies = [audit({ write: (record) => void records.push(record) }), approve({ ask })]
  await using client = await connect(app, { name: 'bank', policies })

  expect(await client.call('pay', { to: 'ada' })).toMatchObject({ content: [{ text: 'paid' }] })
  await expect(client.call('pay', { to: 'eve' })).rejects.toMatchObject(refused('not-approved'))
  await expect(client.call('pay', { to: 'nobody' }, { idleMs: 500 })).rejects.toMatchObject({ code: 'outcome_unknown' })

  expect(made).toEqual(['ada', 'nobody'])
  expect(asked.map(({ arguments: { to }, hints }) => [to, hints.readOnly])).toEqual([
    ['ada', false],
    ['eve', false],
    ['nobody', false],
  ])
  const endings = records.map((record) => (record.kind === 'intent' ? 'intent' : `${record.decision}: ${record.outcome}`))
  expect(endings).toEqual(['intent', 'allowed: ok', 'intent', 'refused: refused', 'intent', 'allowed: failed'])
  expect(records.every(({ server, tool }) => server === 'bank' && tool === 'pay')).toBe(true)
})
