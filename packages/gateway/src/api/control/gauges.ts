import type { Gauge } from '../../monitoring/metrics.js'
import type { Control } from './control.js'

/** How things stand at this moment. */
export async function currentGauges(control: Control): Promise<Gauge[]> {
  const { audit } = control.health()
  const pending = await waiting(control)
  return [
    {
      name: 'toolwire_upstream_state',
      help: 'Upstreams by state',
      values: control.servers().map(({ id, state }) => [{ upstream: id, state }, 1]),
    },
    {
      name: 'toolwire_upstream_restarts',
      help: 'Restarts of upstreams',
      values: control.servers().map(({ id, restarts }) => [{ upstream: id }, restarts]),
    },
    { name: 'toolwire_calls_under_way', help: 'Running calls', values: [[{}, control.underWay()]] },
    {
      name: 'toolwire_approvals_pending',
      help: 'Pending approvals',
      values: pending === undefined ? [] : [[{}, pending]],
    },
    { name: 'toolwire_audit_ok', help: 'Whether the audit log can be written', values: [[{}, audit.ok ? 1 : 0]] },
    {
      name: 'toolwire_audit_sequence',
      help: 'Sequence of the last durable record',
      values: [[{}, control.log?.head?.sequence ?? 0]],
    },
  ]
}

async function waiting({ approvals }: Control): Promise<number | undefined> {
  try {
    return (await approvals.page({ limit: 1 }))?.total
  } catch {
    return undefined // the trouble shows elsewhere
  }
}
