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

describe('the list of missing scenarios', () => {
  it('is empty if every scenario has a result', () => {
    expect(missing(clientFindings(required.client[revision]), 'client', revision)).toEqual([])
  })

  it('has a count for required scenarios, and names for the others', () => {
    const findings = clientFindings(required.client[revision] - 2).filter(({ scenario }) => scenario !== 'auth/dpop')
    expect(missing(findings, 'client', revision)).toEqual(['auth/dpop', '(2 required scenarios)'])
  })
})

describe('the summary', () => {
  it('counts out of at least the required number', () => {
    expect(summary('client', clientFindings(17))).toContain('17 of 18 (2025-11-25), 0 of 32 (2026-07-28), unscored 7 of 7')
  })

  it('covers one side only', () => {
    const findings = [...clientFindings(18), lost('server', 'ping', revision, 'it crashed')]
    expect(summary('client', findings)).toContain('client 18 of 18')
    expect(summary('server', findings)).toContain('server 0 of 30')
  })
})

describe('the table', () => {
  it('shows the message of the suite below a failure', () => {
    expect(table([lost('client', 'initialize', revision, 'Client test error: no such file')])).toBe(
      'client  initialize  2025-11-25  FAILED\n    Client test error: no such file',
    )
  })
})
