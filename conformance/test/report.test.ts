import { describe, expect, it } from 'vitest'
import { type Finding, finding, lost, missing } from '../src/findings.js'
import { required, unscored } from '../src/plan.js'
import { summary, table } from '../src/report.js'

const passed = { outcome: 'passed', reasons: [] } as const
const revision = '2025-11-25'

function clientFindings(count: number): Finding[] {
  const scored = Array.from({ length: count }, (_, place) => finding('client', `scenario-${place}`, revision, passed))
  return [...scored, ...unscored.client[revision].map((scenario) => finding('client', scenario, revision, passed))]
}

describe('what is missing', () => {
  it('is nothing when every scenario left a result', () => {
    expect(missing(clientFindings(required.client[revision]), 'client', revision)).toEqual([])
  })

  it('is counted where required scenarios left none, and named where others did', () => {
    const findings = clientFindings(required.client[revision] - 2).filter(({ scenario }) => scenario !== 'auth/dpop')
    expect(missing(findings, 'client', revision)).toEqual(['auth/dpop', '(2 required scenarios)'])
  })
})

describe('the summary', () => {
  it('never counts out of fewer than a revision requires', () => {
    expect(summary('client', clientFindings(17))).toContain('17 of 18 (2025-11-25), 0 of 32 (2026-07-28), unscored 7 of 7')
  })

  it('looks at one side only', () => {
    const findings = [...clientFindings(18), lost('server', 'ping', revision, 'it crashed')]
    expect(summary('client', findings)).toContain('client 18 of 18')
    expect(summary('server', findings)).toContain('server 0 of 30')
  })
})

describe('the table', () => {
  it('says below a failure what the suite said', () => {
    expect(table([lost('client', 'initialize', revision, 'Client test error: no such file')])).toBe(
      'client  initialize  2025-11-25  FAILED\n    Client test error: no such file',
    )
  })
})
