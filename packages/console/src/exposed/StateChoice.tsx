import { useState } from 'preact/hooks'
import type { Tool, ToolState } from '../api/types.js'
import { Button } from '../parts/Button.js'
import { setToolState } from './tool-actions.js'

const states: readonly { readonly id: ToolState; readonly label: string; readonly about: string }[] = [
  { id: 'on', label: 'On', about: 'Listed; the rules decide about calls' },
  { id: 'hidden', label: 'Hidden', about: 'Not listed; callable only if a rule names it' },
  { id: 'off', label: 'Off', about: 'Not listed; every call is refused' },
]

/** Whether callers are offered the tool. It holds at once, and for as long as nobody changes it. */
export function StateChoice({ tool, onChange }: { tool: Tool; onChange: () => void }) {
  const [next, setNext] = useState<ToolState>()
  async function pick(state: ToolState): Promise<void> {
    setNext(state)
    await setToolState(tool, state)
    onChange()
    setNext(undefined)
  }
  return (
    <fieldset class="state-choice" disabled={next !== undefined}>
      <legend class="out-of-sight">Availability to callers</legend>
      {states.map(({ id, label, about }) => (
        <Button
          key={id}
          small
          title={about}
          aria-pressed={tool.state === id}
          busy={next === id}
          onClick={() => tool.state !== id && void pick(id)}
        >
          {label}
        </Button>
      ))}
    </fieldset>
  )
}
