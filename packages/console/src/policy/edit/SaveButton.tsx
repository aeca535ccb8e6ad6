import { useState } from 'preact/hooks'
import { putJson } from '../../api/api.js'
import { Button } from '../../parts/Button.js'
import { errorText } from '../../parts/Problem.js'
import { toast } from '../../parts/Toast.js'

type Props = { readonly text: string; readonly version: string; readonly isGood: boolean; readonly onSaved: () => void }

/** Writes the text to the file, if that is still as it was under the version. */
export function SaveButton({ text, version, isGood, onSaved }: Props) {
  const [isSaving, setSaving] = useState(false)
  async function save(): Promise<void> {
    setSaving(true)
    try {
      await putJson('/policy', { text, version })
      toast('The rules are saved and in force')
    } catch (thrown) {
      toast(`The rules were not saved: ${errorText(thrown)}`, 'danger')
    }
    setSaving(false)
    onSaved()
  }
  return (
    <Button variant="primary" busy={isSaving} disabled={!isGood} onClick={save}>
      Save to the file
    </Button>
  )
}
