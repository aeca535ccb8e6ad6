import { describe, expect, it } from 'vitest'
import { judge } from '../src/verdict.js'

const latest = '2026-07-28'
const check = (status: string, id = 'some-check') => ({ id, status })

describe('a verdict on a scenario', () => {
  it('passes when every check succeeded', () => {
    expect(judge('ping', latest, [check('SUCCESS'), check('SUCCESS')]).outcome).toBe('passed')
  })

  it.each(['FAILURE', 'WARNING', 'SKIPPED', 'INFO'])('fails on a single %s, and says which check it was', (status) => {
    const { outcome, reasons } = judge('ping', latest, [check('SUCCESS'), check(status, 'the-other')])
    expect(outcome).toBe('failed')
    expect(reasons).toEqual([expect.stringContaining(`${status} the-other`)])
  })

  it('fails when nothing was checked', () => {
    expect(judge('ping', latest, []).outcome).toBe('failed')
    expect(judge('ping', latest, [check('INFO', 'outgoing-request')]).outcome).toBe('failed')
  })

  it('passes over notes about the traffic', () => {
    expect(judge('server-sse-polling', latest, [check('INFO', 'incoming-sse-event'), check('SUCCESS')]).outcome).toBe('passed')
  })

  it('forgives skipping what only a later revision asks for, and no sooner', () => {
    const checks = [check('SUCCESS'), check('SKIPPED', 'sep-2106-anchor-keyword-preserved')]
    expect(judge('json-schema-2020-12', '2025-11-25', checks).outcome).toBe('passed')
    expect(judge('json-schema-2020-12', latest, checks).outcome).toBe('failed')
  })

  it('does not count what the suite itself cannot look at, unless it begins to', () => {
    expect(judge('tasks-status-notifications', latest, [check('SKIPPED')]).outcome).toBe('not judged')
    expect(judge('tasks-status-notifications', latest, [check('FAILURE')]).outcome).toBe('failed')
    expect(judge('tasks-status-notifications', latest, []).outcome).toBe('failed')
  })
})
