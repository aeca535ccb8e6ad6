import { isObject } from '../schemas/json.js'
import { beginTry, type ToolTry } from './tool-tries.js'

/** Calls the tool; where something is wrong with the arguments, says what instead, and goes to the first of it. */
export function startTrial(one: ToolTry): void {
  const { form, trial, broken } = one
  if (trial.value.state === 'running' || broken.value !== undefined) return
  if (form.issues.value.size === 0 && isObject(form.value.value)) return void beginTry(one)
  form.showAll.value = true
  // Not before the messages stand there.
  requestAnimationFrame(() => focusFirst([...form.issues.value.keys()]))
}

function focusFirst(pointers: readonly string[]): void {
  const fields = [...document.querySelectorAll<HTMLElement>('.try-tool [data-pointer]')]
  const found = fields.find((field) => pointers.includes(field.dataset.pointer ?? ''))
  found?.querySelector<HTMLElement>('input, select, textarea, button')?.focus()
}
