import { effectiveHints } from '../../../toolwire/src/tools/hints.js'
import type { Tool } from '../api/types.js'
import { Button } from '../parts/Button.js'
import { Icon } from '../parts/Icon.js'
import { WorkButton } from '../parts/WorkButton.js'
import { resetForm } from '../schemas/form/form-state.js'
import { isObject } from '../schemas/json.js'
import { beginTry, cancelTry, type ToolTry } from './tool-tries.js'
import { newTrial } from './trial.js'

/** The buttons to call the tool and to cancel the call. Errors in the arguments are shown first. */
export function CallButtons({ tool, one }: { tool: Tool; one: ToolTry }) {
  const { form, trial, broken } = one
  const wrong = form.issues.value.size
  const isRunning = trial.value.state === 'running'
  const clear = () => {
    resetForm(form)
    trial.value = newTrial
  }
  return (
    <div class="call-buttons cluster">
      {/* Stays where it is, so that a second click does not hit the cancel button. */}
      <Button
        variant="primary"
        icon="play"
        title="Ctrl+Enter"
        disabled={broken.value !== undefined}
        aria-disabled={isRunning || undefined}
        onClick={() => startTrial(one)}
      >
        {isRunning ? 'Calling …' : 'Call the tool'}
      </Button>
      {isRunning && (
        <WorkButton icon="cross" work={() => cancelTry(one)}>
          Cancel the call
        </WorkButton>
      )}
      {wrong > 0 && form.showAll.value && !isRunning && (
        <Button onClick={() => void beginTry(one)} title="Test how the gateway answers">
          Call anyway
        </Button>
      )}
      <Button variant="quiet" disabled={isRunning || broken.value !== undefined} onClick={clear}>
        Reset
      </Button>
      <Effect tool={tool} />
    </div>
  )
}

/** A trial is a real call. */
function Effect({ tool }: { tool: Tool }) {
  const { readOnly, destructive } = effectiveHints(tool.claims)
  const reads = tool.trusted ? 'The tool only reads.' : 'The server claims that the tool only reads.'
  const changes = `It may change ${destructive ? 'or destroy ' : ''}something.`
  return (
    <p class="little muted cluster effect">
      {!readOnly && <Icon name="warning" />} This is a real call, and recorded. {readOnly ? reads : changes}
    </p>
  )
}

/** Calls the tool. If the arguments have errors, shows them and moves the focus to the first instead. */
export function startTrial(one: ToolTry): void {
  const { form, trial, broken } = one
  if (trial.value.state === 'running' || broken.value !== undefined) return
  if (form.issues.value.size === 0 && isObject(form.value.value)) return void beginTry(one)
  form.showAll.value = true
  // After the messages have been rendered.
  requestAnimationFrame(() => focusFirst([...form.issues.value.keys()]))
}

function focusFirst(pointers: readonly string[]): void {
  const fields = [...document.querySelectorAll<HTMLElement>('.try-tool [data-pointer]')]
  const found = fields.find((field) => pointers.includes(field.dataset.pointer ?? ''))
  found?.querySelector<HTMLElement>('input, select, textarea, button')?.focus()
}
