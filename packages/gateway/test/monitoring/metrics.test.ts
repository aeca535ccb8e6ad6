import { describe, expect, it } from 'vitest'
import { Metrics } from '../../src/monitoring/metrics.js'

const lines = (metrics: Metrics) => metrics.text([]).split('\n')

describe('the Prometheus metrics', () => {
  it('count calls by outcome, and refusals by reason', () => {
    const metrics = new Metrics()
    const about = { tool: 'add', server: 'sums', ms: 20 }
    metrics.ended({ ...about, outcome: 'ok' })
    metrics.ended({ ...about, outcome: 'ok' })
    metrics.ended({ ...about, outcome: 'refused', reason: 'forbidden' })
    expect(lines(metrics)).toEqual(
      expect.arrayContaining([
        'toolwire_calls_total{tool="add",server="sums",outcome="ok"} 2',
        'toolwire_calls_total{tool="add",server="sums",outcome="refused"} 1',
        'toolwire_refusals_total{reason="forbidden"} 1',
      ]),
    )
  })

  it('count a call in every bucket that is not shorter', () => {
    const metrics = new Metrics()
    for (const ms of [1, 25, 1_500, 1_000_000]) metrics.ended({ tool: 't', server: 's', outcome: 'ok', ms })
    const bucket = (le: string) => `toolwire_call_duration_seconds_bucket{tool="t",server="s",le="${le}"}`
    expect(lines(metrics)).toEqual(
      expect.arrayContaining([
        `${bucket('0.005')} 1`,
        `${bucket('0.01')} 1`,
        `${bucket('0.025')} 2`,
        `${bucket('1')} 2`,
        `${bucket('2.5')} 3`,
        `${bucket('300')} 3`,
        `${bucket('+Inf')} 4`,
        'toolwire_call_duration_seconds_count{tool="t",server="s"} 4',
        expect.stringMatching(/^toolwire_call_duration_seconds_sum\{.*\} 1001\.526/),
      ]),
    )
  })

  it('escape quotes in names, and count names beyond the limit together', () => {
    const metrics = new Metrics()
    metrics.ended({ tool: 'a"b\\c\nd', server: 's', outcome: 'ok', ms: 0 })
    for (let at = 0; at < 20_005; at++) metrics.ended({ tool: `made-up-${at}`, server: 's', outcome: 'ok', ms: 0 })
    const counted = lines(metrics).filter((line) => line.startsWith('toolwire_calls_total'))
    expect(counted).toContain('toolwire_calls_total{tool="a\\"b\\\\c\\nd",server="s",outcome="ok"} 1')
    expect(counted).toContain('toolwire_calls_total{tool="other",server="other",outcome="ok"} 6')
    expect(counted).toHaveLength(20_001)
  })
})
