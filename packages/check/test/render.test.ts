import { describe, expect, it } from 'vitest'
import { type CheckReport, type CheckResult, render } from '../src/index.js'
import { parseXml } from './xml.js'

const nasty = '<b> & "quoted" ]]> \u0007 \ud800 \u{1f600}'
const result = (id: string, outcome: CheckResult['outcome'], level: CheckResult['level'] = 'MUST'): CheckResult => ({
  id,
  level,
  outcome,
  revision: '2025-11-25',
  sentence: 'It is so.',
  page: '2025-11-25/basic',
  how: 'Looks',
  detail: nasty,
  evidence: [{ sent: nasty, came: nasty }],
})
const report: CheckReport = {
  target: 'node server.js "a" <b>',
  server: { name: 'shop', version: '1' },
  revisions: ['2025-11-25'],
  connected: true,
  trouble: undefined,
  results: [result('base-ping', 'enforced'), result('base-jsonrpc', 'missing'), result('list-order', 'not-tried', 'SHOULD')],
}
const incomplete: CheckReport = { ...report, trouble: nasty }
const unreachable: CheckReport = { ...report, revisions: [], connected: false, trouble: nasty, results: [] }

describe('The report', () => {
  it('is valid XML for test runners', () => {
    const [suite] = parseXml(render(report, 'junit')).children
    expect(suite?.attributes).toMatchObject({ name: '2025-11-25', tests: '3', failures: '1', errors: '0', skipped: '1' })
    expect(suite?.children.map(({ children }) => children[0]?.name)).toEqual([undefined, 'failure', 'skipped'])
    expect(suite?.children[1]?.children[0]?.attributes.message).toContain('<b> & "quoted" ]]>')
  })

  it('is XML with an error if no target could be connected', () => {
    const [suite] = parseXml(render(unreachable, 'junit')).children
    expect(suite?.attributes).toMatchObject({ tests: '1', errors: '1' })
    expect(suite?.children[0]?.children[0]?.name).toBe('error')
  })

  it('is SARIF with every required property', () => {
    const log = JSON.parse(render(report, 'sarif'))
    const [run] = log.runs
    expect(log.version).toBe('2.1.0')
    expect(run.tool.driver.name).toBe('toolwire check')
    const rules = run.tool.driver.rules.map(({ id }: { id: string }) => id)
    expect(rules).toEqual(['base-jsonrpc', 'base-ping', 'list-order'].sort((a, b) => order.indexOf(a) - order.indexOf(b)))
    expect(run.invocations).toEqual([{ executionSuccessful: true }])
    expect(run.results.map(({ ruleId, kind, level }: Record<string, string>) => [ruleId, kind, level])).toEqual([
      ['base-ping', 'pass', 'none'],
      ['base-jsonrpc', 'fail', 'error'],
      ['list-order', 'notApplicable', 'none'],
    ])
    for (const { message, ruleId } of run.results) {
      expect(message.text).not.toBe('')
      expect(rules).toContain(ruleId)
    }
  })

  it('is SARIF of a failed invocation if no target could be connected', () => {
    const [run] = JSON.parse(render(unreachable, 'sarif')).runs
    expect(run.results).toEqual([])
    expect(run.invocations[0]).toMatchObject({ executionSuccessful: false, toolExecutionNotifications: [{ level: 'error' }] })
  })

  it('is SARIF in which advice has the level note', () => {
    const [run] = JSON.parse(render({ ...report, results: [result('strain-depth', 'missing', 'ADVICE')] }, 'sarif')).runs
    expect(run.results.map(({ level }: { level: string }) => level)).toEqual(['note'])
  })

  it('is JSON with all data', () => {
    expect(JSON.parse(render(report, 'json'))).toEqual(JSON.parse(JSON.stringify(report)))
  })

  it('is text with a count of the outcomes', () => {
    const text = render(report, 'human')
    expect(text).toContain('MISSING\n  MUST   base-jsonrpc')
    expect(text).toContain('MUST   1 enforced, 1 missing, 0 not tried')
    expect(text).toContain('SHOULD 0 enforced, 0 missing, 1 not tried')
    expect(text).toContain('ADVICE 0 enforced, 0 missing, 0 not tried')
    expect(render(unreachable, 'human')).toContain('Could not connect: <b>')
  })
})

it('The report of an incomplete check has the results and the reason in every format', () => {
  const [suite, completeness] = parseXml(render(incomplete, 'junit')).children
  expect([suite?.attributes, completeness?.attributes]).toMatchObject([{ name: '2025-11-25', errors: '0' }, { errors: '1' }])
  const [run] = JSON.parse(render(incomplete, 'sarif')).runs
  expect(run.results).toHaveLength(3)
  expect(run.invocations[0]).toMatchObject({ executionSuccessful: false, toolExecutionNotifications: [{ level: 'error' }] })
  expect(render(incomplete, 'human')).toContain('Incomplete: <b>')
  expect(render(report, 'human')).not.toContain('Incomplete')
})

describe('The report for people', () => {
  const older = (one: CheckResult, detail = nasty): CheckResult => ({ ...one, revision: '2025-06-18', detail })
  const ping = result('base-ping', 'missing')
  const several: CheckReport = {
    ...report,
    revisions: ['2025-11-25', '2025-06-18'],
    results: [
      result('list-order', 'enforced', 'SHOULD'),
      result('page-end', 'missing', 'SHOULD'),
      ping,
      result('said-error', 'not-tried'),
      older(result('list-order', 'enforced', 'SHOULD')),
      older(result('page-end', 'enforced', 'SHOULD')),
      older(ping),
      older(result('said-error', 'enforced')),
    ],
  }
  const idsIn = (text: string) => [...text.matchAll(/^ {2}(?:MUST|SHOULD|ADVICE) +(\S+)/gm)].map(([, id]) => id)

  it('lists the missing checks first, obligatory ones before recommended ones, each once', () => {
    expect(idsIn(render(several, 'human'))).toEqual(['base-ping', 'page-end', 'said-error', 'list-order'])
  })

  it('lists the revisions in which a check is missing, and separates different findings', () => {
    expect(render(several, 'human')).toContain(`2025-11-25, 2025-06-18: ${nasty}`)
    const apart = { ...several, results: [ping, older(ping, 'Something else')] }
    expect(render(apart, 'human')).toContain(`2025-11-25: ${nasty}`)
    expect(render(apart, 'human')).toContain('2025-06-18: Something else')
  })

  it('counts each check once', () => {
    expect(render(several, 'human')).toContain('MUST   1 enforced, 1 missing, 0 not tried')
    expect(render(several, 'human')).toContain('SHOULD 1 enforced, 1 missing, 0 not tried')
  })

  it('shows missing checks in colour on a terminal with colours', () => {
    const red = (text: string) => `<red>${text}</red>`
    expect(render(report, 'human', { red, dim: (text) => text })).toContain('<red>  MUST   base-jsonrpc')
  })
})

const order = ['base-jsonrpc', 'base-ping', 'list-order']
