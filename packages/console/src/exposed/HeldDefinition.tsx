import { useState } from 'preact/hooks'
import type { Drift } from '../api/types.js'
import { Button } from '../parts/Button.js'
import { Icon } from '../parts/Icon.js'
import { Difference } from '../parts/text/Difference.js'
import { FoldedText } from '../parts/text/FoldedText.js'
import { Paragraph, Text } from '../parts/text/Text.js'
import { Ago } from '../parts/time/Time.js'
import { useArming } from '../parts/time/use-arming.js'
import { useWork } from '../parts/WorkButton.js'
import { ScanFindings } from './ScanFindings.js'
import { acceptDefinition, refuseDefinition } from './tool-actions.js'

type Props = { readonly drift: Drift; readonly refused: boolean; readonly onChange: () => void }

/** A definition that is not accepted: all of it or its changes, with buttons to accept or refuse it. */
export function HeldDefinition({ drift, refused, onChange }: Props) {
  const { before, advice, hash, serverIdentity, serverChange, refusedAt, by } = drift
  // A folded text has not been read before the user unfolds it.
  const [isSeen, setSeen] = useState(before !== undefined || definitionText(drift).length <= longText)
  // The definition may change under the pointer.
  const { looksArmed, isArmedNow } = useArming(JSON.stringify([hash, serverIdentity]))
  const { isBusy, run } = useWork()
  const act = (how: (drift: Drift) => Promise<void>) => run(() => how(drift).then(onChange))
  return (
    <section class="waiting-definition stack notice framed warning" aria-labelledby="waiting-title">
      <h3 id="waiting-title" class="cluster">
        <Icon name="warning" /> {titleOf(drift, refused)}
      </h3>
      <Paragraph of={serverChange} />
      <p>{serverChange !== undefined ? otherServerWords : before ? changedWords : newWords}</p>
      {refused && refusedAt !== undefined && (
        <p class="little muted">
          Refused <Ago at={refusedAt} />
          <Text before=" by " of={by} />
        </p>
      )}
      <ScanFindings of={advice} />
      <DefinitionText of={drift} onSeen={() => setSeen(true)} />
      <div class="cluster">
        <Button
          variant="primary"
          icon="check"
          busy={isBusy}
          disabled={!isSeen}
          aria-disabled={!looksArmed || undefined}
          onClick={() => isArmedNow() && act(acceptDefinition)}
        >
          Accept this definition
        </Button>
        {!refused && (
          <Button variant="danger" icon="cross" busy={isBusy} onClick={() => act(refuseDefinition)}>
            Refuse this definition
          </Button>
        )}
        {!isSeen && <span class="little muted">Read the whole definition first.</span>}
      </div>
    </section>
  )
}

type TextProps = { readonly of: Drift; readonly onSeen?: () => void }

/** All of a new definition, or the changes of one that was accepted before. */
export const DefinitionText = ({ of: drift, onSeen }: TextProps) =>
  drift.before ? (
    <Difference before={drift.before} after={drift.after} labels={['accepted before', 'now']} />
  ) : (
    <FoldedText text={definitionText(drift)} over={longText} {...(onSeen && { onSeen })} />
  )

const definitionText = ({ after }: Drift): string => JSON.stringify(after, null, 2)

const longText = 4_096
const changedWords = 'Callers do not see the tool until the change is accepted. A changed tool may behave differently.'
const newWords =
  'Callers do not see the tool until the definition is accepted. Models read all of this text, so it can mislead them.'

const otherServerWords =
  'Callers do not see the tool until the definition is accepted. Earlier approvals and grants were for the other server.'

function titleOf({ before, serverChange }: Drift, refused: boolean): string {
  if (refused) return 'This definition was refused'
  if (serverChange !== undefined) return 'Another server has taken the accepted name'
  return before ? 'The definition has changed since it was accepted' : 'This definition is new and not accepted yet'
}
