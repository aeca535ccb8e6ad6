import { useEffect, useState } from 'preact/hooks'
import { isOutcomeUnknown, putJson } from '../../api/api.js'
import type { Policy, PolicyCase } from '../../api/types.js'
import { currentRoute } from '../../page/route.js'
import { Button } from '../../parts/Button.js'
import { errorText } from '../../parts/Problem.js'
import { toast } from '../../parts/Toast.js'
import { Difference } from '../../parts/text/Difference.js'
import { markedText, Paragraph, Text, textPieces } from '../../parts/text/Text.js'
import { toastError, WorkButton } from '../../parts/WorkButton.js'
import { ChangePreview } from './ChangePreview.js'
import { draft, draftFollowing, draftOf, draftOnto, isChanged, isChangedOnDisk, keepDraft } from './draft.js'
import { RulesEditor } from './RulesEditor.js'
import { usePreview } from './use-preview.js'

type Props = { readonly mine: string; readonly file: string; readonly onMine: () => void; readonly onFile: () => void }

/** The file has changed since the user began to edit it: the user must see the change before overwriting it. */
const ChangedOnDiskNote = ({ mine, file, onMine, onFile }: Props) => (
  <section class="stack notice framed warning" aria-label="The file has changed">
    <p role="alert">
      <strong>The file has changed since you began.</strong> Compare it with your text, and choose.
    </p>
    <Difference before={file} after={mine} labels={['in the file now', 'your text']} />
    <div class="cluster">
      <Button onClick={onFile}>Discard my text</Button>
      <Button variant="danger" onClick={onMine}>
        Keep my text and overwrite the file
      </Button>
    </div>
  </section>
)

type Standing = {
  readonly changed: boolean
  readonly overtaken: boolean
  readonly isLooking: boolean
  readonly isGood: boolean
}

function standingOf({ changed, overtaken, isLooking, isGood }: Standing) {
  if (!changed) return 'There are no changes.'
  if (overtaken) return 'Choose first which text to keep.'
  if (isLooking) return 'Checking …'
  return isGood ? 'The text can be saved.' : 'The text cannot be saved yet.'
}

/** The line to show: the one in the address, or the one last pressed. */
function useLine() {
  const state = useState<{ readonly at: number } | undefined>(undefined)
  const [, setLine] = state
  const inAddress = Number(currentRoute.value.path[0])
  useEffect(() => {
    if (inAddress > 0) setLine({ at: inAddress })
  }, [inAddress])
  return state
}

/** The editor of the rules, with a preview of the effects of the change. */
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
  /** Saves the text, if the file still has the same version. */
  const save = () =>
    putJson('/policy', { text, version })
      .then(() => toast('The rules are saved and in force'))
      .catch((thrown: unknown) =>
        toastError(thrown, isOutcomeUnknown(thrown) ? 'It is unknown whether the rules were saved' : 'The rules were not saved'),
      )
      .then(onSaved)

  return (
    <div class="stack">
      {overtaken && (
        <ChangedOnDiskNote
          mine={text}
          file={policy.text}
          onMine={() => keepDraft(draftOnto(current, policy))}
          onFile={() => keepDraft(draftOf(policy))}
        />
      )}
      <RulesEditor text={text} problems={problems} goTo={line} onChange={(next) => keepDraft({ ...current, text: next })} />
      <ul class="problems stack close" id="rules-problems" aria-live="polite" aria-busy={isLooking}>
        {problems.map(({ line, message }) => (
          <li class="cluster baseline" key={`${line} ${message}`}>
            {line !== undefined && (
              <Button small onClick={() => setLine({ at: line })}>
                Line {line}
              </Button>
            )}
            <Text of={message} />
          </li>
        ))}
      </ul>
      <div class="cluster">
        <WorkButton variant="primary" disabled={standing !== 'The text can be saved.'} work={save}>
          Save to the file
        </WorkButton>
        <Button disabled={!changed} onClick={() => keepDraft(draftOf(policy))}>
          Undo the changes
        </Button>
        <span class="muted little" role="status">
          {standing}
        </span>
      </div>
      <Paragraph
        before="The text could not be checked: "
        of={error === undefined ? undefined : errorText(error)}
        class="notice tinted warning"
      />
      {preview?.ok && changed && <ChangePreview preview={preview} />}
    </div>
  )
}

export function failingCases(cases: readonly PolicyCase[]): readonly { readonly line?: number; readonly message: string }[] {
  return cases.flatMap(({ name, ok, expected, actual, line }) => {
    if (ok) return []
    const message = `${name}: expected ${expected ?? 'something else'}, got ${actual ?? 'another decision'}`
    return [{ message, ...(line !== undefined && { line }) }]
  })
}

export function hiddenLines(text: string): readonly { readonly line: number; readonly message: string }[] {
  return text.split('\n').flatMap((line, index) => {
    const marks = textPieces(line).flatMap((piece) => ('mark' in piece ? [`${piece.mark}, ${piece.name}`] : []))
    if (marks.length === 0) return []
    const more = marks.length > 1 ? ` and ${marks.length - 1} more` : ''
    return [{ line: index + 1, message: `has a hidden character: ${markedText(marks[0] ?? '')}${more}` }]
  })
}
