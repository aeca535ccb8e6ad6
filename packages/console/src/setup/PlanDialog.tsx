import type { ComponentChildren } from 'preact'
import type { ServerPlan } from '../api/types.js'
import { Badge } from '../parts/Badge.js'
import { Dialog } from '../parts/Dialog.js'
import { Loading } from '../parts/LoadState.js'
import { Text } from '../parts/text/Text.js'
import { CommandLine } from './CommandLine.js'

type Props = {
  readonly title: string
  readonly onClose: () => void
  readonly actions: ComponentChildren
  readonly plan: ServerPlan | undefined
  readonly trouble: string | undefined
  /** Completes "Loading the server". */
  readonly what: string
  /** Content before there is a plan. */
  readonly before?: ComponentChildren
  readonly lead?: string
}

/** A dialog for a change in two steps; the second previews the effect. */
export const PlanDialog = ({ title, onClose, actions, plan, trouble, what, before, lead }: Props) => (
  <Dialog title={title} onClose={onClose} actions={actions} wide>
    {lead && <p>{lead}</p>}
    <SetupTrouble of={trouble} />
    {plan ? <ChangePlan plan={plan} /> : (before ?? (trouble === undefined && <Loading what={what} />))}
  </Dialog>
)

export const SetupTrouble = ({ of }: { of: string | undefined }) =>
  of === undefined ? null : (
    <p class="plan-trouble" role="alert">
      {of}
    </p>
  )

/** The preview of a change: the program that will run, the risks, and the difference in the config. */
const ChangePlan = ({ plan: { target, risks, diff, file } }: { readonly plan: ServerPlan }) => (
  <>
    {target?.kind === 'child' && (
      <p class="notice framed warning">
        <strong>This program will run on the machine of the gateway, with the rights of the gateway.</strong> It can do everything
        that the gateway's account can do. Check every word.
      </p>
    )}
    {target && <CommandLine target={target} />}
    {risks.length > 0 && (
      <ul class="stack close">
        {risks.map((risk) => (
          <li key={risk}>
            <Badge tone="warning">warning</Badge> The command {risk}.
          </li>
        ))}
      </ul>
    )}
    <section class="plan-diff stack near">
      <h3>Changes to the config</h3>
      <p class="little muted">
        <Text of={file} mono />. The old file is kept in the same folder. Secrets are not shown.
      </p>
      <pre class="mono sunken">
        {diff.split('\n').map((line, at) => (
          <span key={at} class={line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : undefined}>
            <Text of={line} />
            {'\n'}
          </span>
        ))}
      </pre>
    </section>
  </>
)
