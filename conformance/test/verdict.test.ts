import { describe, expect, it } from 'vitest'
import { judge, withProcess } from '../src/verdict.js'

const latest = '2026-07-28'
const check = (status: string, id = 'some-check') => ({ id, status })

describe('a verdict on a scenario', () => {
  it('passes if every check succeeded', () => {
    expect(judge('ping', latest, [check('SUCCESS'), check('SUCCESS')]).outcome).toBe('passed')
  })

  it.each(['FAILURE', 'WARNING', 'SKIPPED', 'INFO'])('fails on a single %s, and names the check', (status) => {
    const { outcome, reasons } = judge('ping', latest, [check('SUCCESS'), check(status, 'the-other')])
    expect(outcome).toBe('failed')
    expect(reasons).toEqual([expect.stringContaining(`${status} the-other`)])
  })

  it('fails without any check', () => {
    expect(judge('ping', latest, []).outcome).toBe('failed')
    expect(judge('ping', latest, [check('INFO', 'outgoing-request')]).outcome).toBe('failed')
  })

  it('ignores notes about the traffic', () => {
    expect(judge('server-sse-polling', latest, [check('INFO', 'incoming-sse-event'), check('SUCCESS')]).outcome).toBe('passed')
  })

  it('allows skipped checks of later revisions only', () => {
    const checks = [check('SUCCESS'), check('SKIPPED', 'sep-2106-anchor-keyword-preserved')]
    expect(judge('json-schema-2020-12', '2025-11-25', checks).outcome).toBe('passed')
    expect(judge('json-schema-2020-12', latest, checks).outcome).toBe('failed')
  })

  it('allows skipped checks of removed messages, and no other skipped part of the same check', () => {
    const skipped = (method: string) => ({ ...check('SKIPPED', 'headers'), name: `ClientMcpMethodHeader_${method}` })
    const gone = [check('SUCCESS'), skipped('initialize'), skipped('notifications_initialized')]
    expect(judge('http-standard-headers', latest, gone).outcome).toBe('passed')
    expect(judge('http-standard-headers', '2025-11-25', gone).outcome).toBe('failed')
    expect(judge('http-standard-headers', latest, [...gone, skipped('tools_call')]).outcome).toBe('failed')
  })

  it('is "not judged" if the suite itself skips every check of the scenario', () => {
    expect(judge('tasks-status-notifications', latest, [check('SKIPPED')]).outcome).toBe('not judged')
    expect(judge('tasks-status-notifications', latest, [check('FAILURE')]).outcome).toBe('failed')
    expect(judge('tasks-status-notifications', latest, []).outcome).toBe('failed')
  })
})

describe('a verdict on the process of a client', () => {
  const passed = { outcome: 'passed', reasons: [] } as const

  it.each(['Client exited with code 1', 'Client timed out after 60000ms'])('fails if the suite says: %s', (failure) => {
    const { outcome, reasons } = withProcess(passed, { output: `Checks:\n\n${failure}\nPASSED`, exitCode: 0 })
    expect(outcome).toBe('failed')
    expect(reasons).toEqual([failure])
  })

  it('quotes the error that ended a client', () => {
    const output =
      'Client exited with code 1\n\nStderr:\nclient.js:7\n  throw x\n  ^\n\nCallFailure: it went away\n    at there\n'
    expect(withProcess(passed, { output, exitCode: 1 }).reasons).toEqual(['Client exited with code 1: CallFailure: it went away'])
  })

  it('fails if the suite failed without a failed check', () => {
    expect(withProcess(passed, { output: '', exitCode: 1 }).outcome).toBe('failed')
  })

  it('is unchanged if everything succeeded', () => {
    expect(withProcess(passed, { output: 'Test Results:', exitCode: 0 })).toBe(passed)
  })
})
