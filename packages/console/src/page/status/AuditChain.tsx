import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { getJson } from '../../api/api.js'
import type { AuditVerdict } from '../../api/types.js'
import { Badge } from '../../parts/Badge.js'
import { Button } from '../../parts/Button.js'
import { errorText } from '../../parts/Problem.js'
import { Text } from '../../parts/text/Text.js'
import { Time } from '../../parts/time/Time.js'
import { href } from '../route.js'
import { gatewayStatus } from './gateway-status.js'

type Checked = { readonly at: number } & ({ readonly verdict: AuditVerdict } | { readonly trouble: string })

/** Whether the log is written, how long it is, and, when asked, whether anything in it was changed. */
export function AuditChain({ actions }: { actions?: ComponentChildren }) {
  const [isBusy, setBusy] = useState(false)
  const [checked, setChecked] = useState<Checked>()
  async function check(): Promise<void> {
    setBusy(true)
    setChecked(await verdictNow())
    setBusy(false)
  }
  return (
    <section class="card overview-card" aria-label="Audit log">
      <header>
        <h2>Audit log</h2>
        <Writing />
      </header>
      <Head />
      {checked && (
        <p class="audit-verdict" role="status">
          <VerdictWords checked={checked} />
        </p>
      )}
      <footer>
        <Button small busy={isBusy} icon={isBusy ? 'restart' : 'check'} onClick={() => void check()}>
          Verify the chain
        </Button>
        {actions ?? <a href={href(['audit'])}>Open the log</a>}
      </footer>
    </section>
  )
}

async function verdictNow(): Promise<Checked> {
  try {
    const verdict = await getJson<AuditVerdict>('/audit/verify')
    return { at: Date.now(), verdict }
  } catch (thrown) {
    return { at: Date.now(), trouble: errorText(thrown) }
  }
}

function Writing() {
  const audit = gatewayStatus.value?.audit
  if (!audit) return null
  if (!audit.on) return <Badge tone="warning">switched off</Badge>
  return audit.ok ? <Badge tone="ok">being written</Badge> : <Badge tone="danger">cannot be written</Badge>
}

function Head() {
  const head = gatewayStatus.value?.auditHead
  if (!head) return <p class="muted">Nothing is written yet.</p>
  return (
    <p>
      <span class="numbers">{head.sequence.toLocaleString()}</span> records
      <span
        class="audit-head mono"
        title="Hash of the last record. Note it down to detect later changes to any record before it."
      >
        {head.hash}
      </span>
    </p>
  )
}

function VerdictWords({ checked }: { checked: Checked }) {
  if ('trouble' in checked) return <Text of={checked.trouble} />
  const { verdict, at } = checked
  if (verdict.ok)
    return (
      <>
        <Badge tone="ok">intact</Badge> {verdict.entries.toLocaleString()} records were verified at <Time at={at} />.
      </>
    )
  return (
    <>
      <Badge tone="danger">broken</Badge> At <a href={href(['audit', verdict.sequence])}>record {verdict.sequence}</a>:{' '}
      <Text of={verdict.why} />
    </>
  )
}
