import { useState } from 'preact/hooks'
import type { Drift } from '../api/types.js'
import { Button } from '../parts/Button.js'
import { Dialog } from '../parts/Dialog.js'
import { Paragraph, shortened, Text } from '../parts/text/Text.js'
import { WorkButton } from '../parts/WorkButton.js'
import type { HeldOfServer } from './exposure.js'
import { DefinitionText } from './HeldDefinition.js'
import { ServerFindings } from './ScanFindings.js'
import { acceptDefinitions } from './tool-actions.js'

type Props = { readonly of: readonly HeldOfServer[]; readonly onChange: () => void }

/** The withheld definitions by server, with the reasons, and buttons to accept those of one server or all. */
export function HeldServers({ of, onChange }: Props) {
  // The definitions shown when the dialog opened: later ones are not accepted with them.
  const [asked, ask] = useState<readonly HeldOfServer[]>()
  if (of.length === 0) return null
  return (
    <section class="waiting-servers stack near notice framed warning" aria-label="Withheld">
      <h2>Withheld until accepted</h2>
      <ul class="stack near">
        {of.map((one) => (
          <li key={one.server}>
            <p class="cluster">
              <Text of={one.server} /> <span class="count">{one.drifts.length}</span>
              <Button small class="push" onClick={() => ask([one])}>
                Accept all of <Text of={one.server} /> …
              </Button>
            </p>
            <ServerChanges of={one} />
            <ServerFindings of={one.findings.filter(({ holds }) => holds)} />
          </li>
        ))}
      </ul>
      {of.length > 1 && (
        <Button small onClick={() => ask(of)}>
          Accept everything …
        </Button>
      )}
      {asked && <AcceptDialog of={asked} onClose={() => ask(undefined)} onChange={onChange} />}
    </section>
  )
}

type DialogProps = Props & { readonly onClose: () => void }

function AcceptDialog({ of, onClose, onChange }: DialogProps) {
  const drifts = of.flatMap((one) => one.drifts)
  const accept = () => acceptDefinitions(drifts).then(onChange).then(onClose)
  const words = drifts.length === 1 ? 'this definition' : `these ${drifts.length} definitions`
  const actions = (
    <WorkButton variant="primary" icon="check" work={accept}>
      Accept {words}
    </WorkButton>
  )
  return (
    <Dialog title={`Accept ${words}?`} onClose={onClose} wide actions={actions}>
      <p>
        Models will read these definitions, and callers may call the tools. Open a line to read its definition. A definition that
        has changed since this dialog was opened is not accepted.
      </p>
      {of.map((one) => (
        <section key={one.server} class="accepting stack near">
          <h3>
            <Text of={one.server} />
          </h3>
          <ServerChanges of={one} />
          <ServerFindings of={one.findings} />
          <ul class="stack near">
            {one.drifts.map((drift) => (
              <AcceptedLine key={drift.tool} of={drift} />
            ))}
          </ul>
        </section>
      ))}
    </Dialog>
  )
}

/** Warns if another server has taken over the name of an accepted one. */
function ServerChanges({ of: { drifts } }: { of: HeldOfServer }) {
  const changes = new Set(drifts.flatMap(({ serverChange }) => serverChange ?? []))
  return [...changes].map((change) => <Paragraph key={change} of={change} />)
}

const longestShown = 160

/** A definition that is about to be accepted; opened, all of it or its changes. */
function AcceptedLine({ of: drift }: { of: Drift }) {
  const { tool, before, after, serverChange } = drift
  const { description } = after
  const about = typeof description === 'string' ? description : undefined
  const [isOpen, setOpen] = useState(false)
  return (
    <li class="little">
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <Text of={tool} mono /> {serverChange !== undefined ? 'of another server' : before ? 'changed' : 'new'}
          <Text before=": " of={about && shortened(about, longestShown)} line class="muted" />
        </summary>
        {isOpen && <DefinitionText of={drift} />}
      </details>
    </li>
  )
}
