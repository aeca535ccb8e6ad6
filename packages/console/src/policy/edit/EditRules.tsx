import { useEffect, useState } from 'preact/hooks'
import type { Policy } from '../../api/types.js'
import { currentRoute } from '../../page/route.js'
import { Button } from '../../parts/Button.js'
import { errorText } from '../../parts/Problem.js'
import { Text } from '../../parts/text/Text.js'
import { ChangedOnDiskNote } from './ChangedOnDiskNote.js'
import { ChangePreview } from './ChangePreview.js'
import { draft, draftFollowing, draftOf, draftOnto, isChanged, isChangedOnDisk, keepDraft } from './draft.js'
import { failingCases } from './failing-cases.js'
import { hiddenLines } from './hidden-lines.js'
import { RuleProblems } from './RuleProblems.js'
import { RulesEditor } from './RulesEditor.js'
import { SaveButton } from './SaveButton.js'
import { usePreview } from './use-preview.js'

type Standing = {
  readonly changed: boolean
  readonly overtaken: boolean
  readonly isLooking: boolean
  readonly isGood: boolean
}

function standingOf({ changed, overtaken, isLooking, isGood }: Standing) {
  if (!changed) return 'Nothing is changed.'
  if (overtaken) return 'Choose first what becomes of the file.'
  if (isLooking) return 'Looking at it …'
  return isGood ? 'It can be saved.' : 'It cannot be saved as it is.'
}

/** The line to look at: the one in the address, or one that is pressed. */
function useLine() {
  const state = useState<{ readonly at: number } | undefined>(undefined)
  const [, setLine] = state
  const inAddress = Number(currentRoute.value.path[0])
  useEffect(() => {
    if (inAddress > 0) setLine({ at: inAddress })
  }, [inAddress])
  return state
}

/** The text of the rules, to be changed; what the change would mean is told while it is written. */
export function EditRules({ policy, onSaved }: { readonly policy: Policy; readonly onSaved: () => void }) {
  const [line, setLine] = useLine()
  useEffect(() => keepDraft(draftFollowing(draft.value, policy)), [policy])
  const current = draftFollowing(draft.value, policy)
  const { text, version } = current
  const { preview, error, isLooking } = usePreview(text)
  const problems = preview ? [...preview.problems, ...failingCases(preview.cases), ...hiddenLines(text)] : hiddenLines(text)
  const changed = isChanged(current)
  const overtaken = changed && isChangedOnDisk(current, policy)
  const standing = standingOf({ changed, overtaken, isLooking, isGood: preview?.ok === true })

  return (
    <div class="edit-rules">
      {overtaken && (
        <ChangedOnDiskNote
          mine={text}
          file={policy.text}
          onMine={() => keepDraft(draftOnto(current, policy))}
          onFile={() => keepDraft(draftOf(policy))}
        />
      )}
      <RulesEditor text={text} problems={problems} goTo={line} onChange={(next) => keepDraft({ ...current, text: next })} />
      <RuleProblems problems={problems} onGoTo={(at) => setLine({ at })} />
      <div class="edit-buttons">
        <SaveButton text={text} version={version} isGood={standing === 'It can be saved.'} onSaved={onSaved} />
        <Button disabled={!changed} onClick={() => keepDraft(draftOf(policy))}>
          Undo the changes
        </Button>
        <span class="muted little" role="status">
          {standing}
        </span>
      </div>
      {error !== undefined && (
        <p class="policy-note">
          It could not be looked at: <Text of={errorText(error)} />
        </p>
      )}
      {preview?.ok && changed && <ChangePreview preview={preview} />}
    </div>
  )
}
