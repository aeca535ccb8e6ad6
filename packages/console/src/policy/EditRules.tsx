import { useEffect, useState } from 'preact/hooks'
import type { Policy } from '../api/types.js'
import { route } from '../page/route.js'
import { Button } from '../parts/Button.js'
import { Text } from '../parts/Text.js'
import { wordsOf } from '../parts/Trouble.js'
import { casesAtOdds } from './cases-at-odds.js'
import { draft, draftOf, following, isChanged, isOvertaken, keepDraft, onto } from './draft.js'
import { hiddenLines } from './hidden-lines.js'
import { OvertakenNote } from './OvertakenNote.js'
import { Problems } from './Problems.js'
import { RulesText } from './RulesText.js'
import { SaveButton } from './SaveButton.js'
import { usePreview } from './use-preview.js'
import { WhatWouldChange } from './WhatWouldChange.js'

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
  const inAddress = Number(route.value.path[0])
  useEffect(() => {
    if (inAddress > 0) setLine({ at: inAddress })
  }, [inAddress])
  return state
}

/** The text of the rules, to be changed; what the change would mean is told while it is written. */
export function EditRules({ policy, onSaved }: { readonly policy: Policy; readonly onSaved: () => void }) {
  const [line, setLine] = useLine()
  useEffect(() => keepDraft(following(draft.value, policy)), [policy])
  const current = following(draft.value, policy)
  const { text, version } = current
  const { preview, error, isLooking } = usePreview(text)
  const problems = preview ? [...preview.problems, ...casesAtOdds(preview.cases), ...hiddenLines(text)] : hiddenLines(text)
  const changed = isChanged(current)
  const overtaken = changed && isOvertaken(current, policy)
  const standing = standingOf({ changed, overtaken, isLooking, isGood: preview?.ok === true })

  return (
    <div class="edit-rules">
      {overtaken && (
        <OvertakenNote
          mine={text}
          file={policy.text}
          onMine={() => keepDraft(onto(current, policy))}
          onFile={() => keepDraft(draftOf(policy))}
        />
      )}
      <RulesText text={text} problems={problems} goTo={line} onChange={(next) => keepDraft({ ...current, text: next })} />
      <Problems problems={problems} onGoTo={(at) => setLine({ at })} />
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
          It could not be looked at: <Text of={wordsOf(error)} />
        </p>
      )}
      {preview?.ok && changed && <WhatWouldChange preview={preview} />}
    </div>
  )
}
