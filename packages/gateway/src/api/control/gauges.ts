import type { Gauge } from '../../monitoring/metrics.js'
import type { Control } from './control.js'

export async function currentGauges(control: Control): Promise<Gauge[]> {
  const { audit, configVersion } = control.health()
  const { spool } = audit
  const pending = await waiting(control)
  const servers = control.servers()
  const restarts = servers.map(({ id, restarts }) => [{ upstream: id }, restarts] as const)
  return [
    gauge('upstream_state', 'Upstreams by state', ...servers.map(({ id, state }) => [{ upstream: id, state }, 1] as const)),
    gauge('upstream_restarts', 'Restarts of upstreams', ...restarts),
    gauge('calls_under_way', 'Running calls', [{}, control.underWay()]),
    gauge('approvals_pending', 'Pending approvals', ...(pending === undefined ? [] : [[{}, pending] as const])),
    gauge('audit_ok', '1 if the audit log can be written, otherwise 0', [{}, audit.ok ? 1 : 0]),
    ...(spool
      ? [gauge('audit_spool_records', 'Audit records that wait on the local disk for the database', [{}, spool.records])]
      : []),
    ...(spool ? [gauge('audit_spool_bytes', 'Bytes of audit records that wait on the local disk', [{}, spool.bytes])] : []),
    ...(configVersion
      ? [
          gauge('config_version', 'Version of the config in force on this replica', [{}, configVersion.inForce]),
          gauge('config_newest_version', 'Newest version of the config in the database', [{}, configVersion.newest]),
        ]
      : []),
    gauge('audit_sequence', 'Sequence number of the last durable audit record of this gateway', [
      {},
      control.log ? control.store.audit.sequence : 0,
    ]),
  ]
}

const gauge = (name: string, help: string, ...values: Gauge['values']): Gauge => ({ name: `toolwire_${name}`, help, values })

async function waiting({ approvals }: Control): Promise<number | undefined> {
  try {
    return await approvals.count()
  } catch {
    return undefined // the health status reports the problem
  }
}
