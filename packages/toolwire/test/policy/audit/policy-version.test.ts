// The record of a call names the rules that decided it, even if the rules change meanwhile.
import fc from 'fast-check'
import { server, tool } from 'toolwire'
import { type AuditLog, type AuditRecord, memoryAudit, verifyAudit } from 'toolwire/guard'
import { Rulebook, rules } from 'toolwire/rules'
import { harness } from 'toolwire/testing'
import { expect, it } from 'vitest'
import { howMany } from '../../soak.js'

const moments = ['never', 'while the intent is written', 'while a person is asked', 'while the handler runs'] as const
type Moment = (typeof moments)[number]
type Case = { readonly decision: 'allow' | 'deny' | 'ask'; readonly moment: Moment; readonly isAllowed: boolean }

const bookOf = (decision: Case['decision'], name: string) => new Rulebook({ default: 'allow', rules: [{ name, decision }] })

/** Makes one call, and changes the rules at the given moment. */
async function recorded({ decision, moment, isAllowed }: Case) {
  const [first, second] = [bookOf(decision, 'first'), bookOf('allow', 'second')]
  const source = { current: first }
  const reload = (now: Moment) => {
    if (now === moment) source.current = second
  }
  const [kept, records] = [memoryAudit(), [] as AuditRecord[]]
  const log: AuditLog = {
    async append(record) {
      if (record.kind === 'intent') reload('while the intent is written')
      records.push(record)
      await kept.append(record)
    },
    get head() {
      return kept.head
    },
  }
  const ask = () => {
    reload('while a person is asked')
    return isAllowed ? ('allow' as const) : ('deny' as const)
  }
  const pay = tool({
    description: 'Pays.',
    run: () => {
      reload('while the handler runs')
      return 'paid'
    },
  })
  const app = server({
    name: 'bank',
    version: '1.0.0',
    tools: { pay },
    guard: { audit: { log }, rules: rules(source), approve: { ask } },
  })
  await using t = await harness(app)
  // A tool that is always denied appears not to exist, which is a protocol error.
  await t.call('pay', {}).catch((thrown: unknown) => expect(String(thrown)).toContain('Unknown tool'))
  expect(await verifyAudit(kept.lines())).toMatchObject({ ok: true, entries: 2 })
  expect(JSON.parse(kept.lines()[1] ?? '')).toMatchObject({ policyVersion: expect.stringMatching(/^[0-9a-f]{12}$/) })
  return { records, judgedBy: moment === 'while the intent is written' ? second : first }
}

it('names the rules that decided the call, whenever the rules change', async () => {
  const cases = fc.record<Case>({
    decision: fc.constantFrom('allow', 'deny', 'ask'),
    moment: fc.constantFrom(...moments),
    isAllowed: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(cases, async (one) => {
      const { records, judgedBy } = await recorded(one)
      expect(records).toMatchObject([{ kind: 'intent' }, { kind: 'outcome', policyVersion: judgedBy.version.slice(0, 12) }])
    }),
    { numRuns: howMany(12, 60) },
  )
})

it('names no rules if none have decided', async () => {
  const log = memoryAudit()
  const pay = tool({ description: 'Pays.', run: () => 'paid' })
  await using t = await harness(server({ name: 'bank', version: '1.0.0', tools: { pay }, guard: { audit: { log } } }))
  await t.call('pay', {})
  expect(log.lines().filter((line) => line.includes('policyVersion'))).toEqual([])
})
