import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { getJson } from '../../api/api.js'
import { gatewayNow } from '../../api/gateway-clock.js'
import type { AuditVerdict } from '../../api/types.js'
import { Badge } from '../../parts/Badge.js'
import { Button } from '../../parts/Button.js'
import { LoadState } from '../../parts/LoadState.js'
import { errorText } from '../../parts/Problem.js'
import { Text } from '../../parts/text/Text.js'
import { Time } from '../../parts/time/Time.js'
import { useWork } from '../../parts/WorkButton.js'
import { href } from '../route.js'
import { gatewayStatus, loadGatewayStatus, statusOutcome } from './gateway-status.js'

type Checked = { readonly at: number } & (AuditVerdict | { readonly trouble: string })

/** The state and the length of the audit log, with a button that verifies it. */
export function AuditChain({ actions }: { actions?: ComponentChildren }) {
  const { isBusy, run } = useWork()
  const [checked, setChecked] = useState<Checked>()
  const verify = async () => {
    const found = await getJson<AuditVerdict>('/audit/verify').catch((thrown: unknown) => ({ trouble: errorText(thrown) }))
    setChecked({ at: gatewayNow(), ...found })
  }
  const status = gatewayStatus.value
  const { audit, auditHead: head } = status ?? {}
  const loaded = { ...statusOutcome.value, value: status, reload: () => void loadGatewayStatus().catch(() => undefined) }
  return (
    <section class="card clip overview-card" aria-label="Audit log">
      <header class="card-head bar">
        <h2>Audit log</h2>
        {audit && <AuditBadge of={audit} />}
      </header>
      <LoadState of={loaded} what="the state of the log" />
      {head ? (
        <p>
          <span class="numbers">{head.sequence.toLocaleString()}</span> records
          <span
            class="audit-head muted mono"
            title="Hash of the last record. Note it down to detect later changes to any record before it."
          >
            {head.hash}
          </span>
        </p>
      ) : (
        status && <p class="muted">Nothing is written yet.</p>
      )}
      {checked && (
        <p class="audit-verdict" role="status">
          <VerdictWords of={checked} />
        </p>
      )}
      <footer class="bar">
        <Button small busy={isBusy} icon={isBusy ? 'restart' : 'check'} onClick={() => run(verify)}>
          Verify the chain
        </Button>
        {actions ?? <a href={href(['audit'])}>Open the log</a>}
      </footer>
    </section>
  )
}

function AuditBadge({ of: { on, ok } }: { of: { readonly on: boolean; readonly ok: boolean } }) {
  if (!on) return <Badge tone="warning">switched off</Badge>
  return ok ? <Badge tone="ok">being written</Badge> : <Badge tone="danger">cannot be written</Badge>
}

function VerdictWords({ of }: { of: Checked }) {
  if ('trouble' in of) return <Text of={of.trouble} />
  if (of.ok)
    return (
      <>
        <Badge tone="ok">intact</Badge> {of.entries.toLocaleString()} records were verified at <Time at={of.at} />.
      </>
    )
  if ('empty' in of) return <Text of={of.why} />
  return (
    <>
      <Badge tone="danger">broken</Badge> At <a href={href(['audit', of.sequence])}>record {of.sequence}</a>: <Text of={of.why} />
    </>
  )
}
