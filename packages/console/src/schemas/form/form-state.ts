// The state of a form. The form and the raw JSON are two views of the same value.
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { type Path, valueAt, withValueAt } from '../edit-value.js'
import { initialArguments } from '../initial-value.js'
import { type IssuesAt, issuesAt } from '../issues-at.js'
import { type Json, toPointer } from '../json.js'
import { type SchemaDocument, schemaDocumentOf } from '../schema-document.js'

export type FormState = {
  readonly document: SchemaDocument
  readonly value: Signal<Json>
  /** The branches that the user has chosen, by JSON pointer of the field. */
  readonly chosen: Signal<ReadonlyMap<string, number>>
  /** Fields that the user has visited; errors of other fields appear when the form is sent. */
  readonly touched: Signal<ReadonlySet<string>>
  readonly showAll: Signal<boolean>
  readonly issues: ReadonlySignal<IssuesAt>
}

export function formStateFor(schema: Json): FormState {
  const document = schemaDocumentOf(schema)
  const value = signal<Json>(initialArguments(document))
  return {
    document,
    value,
    chosen: signal(new Map()),
    touched: signal(new Set()),
    showAll: signal(false),
    issues: computed(() => (typeof document.check === 'function' ? issuesAt(document.check(value.value)) : new Map())),
  }
}

export function resetForm(form: FormState): void {
  form.showAll.value = false
  form.touched.value = new Set()
  replaceValue(form, initialArguments(form.document))
}

/** Sets a value; `undefined` omits it. */
export function enterValue(form: FormState, path: Path, next: Json | undefined): void {
  const changed = withValueAt(form.value.value, path, next)
  // The arguments themselves cannot be omitted.
  form.value.value = changed === undefined ? {} : changed
}

/** The chosen branches outside a position. */
const chosenOutside = ({ chosen }: FormState, pointer: string) =>
  new Map([...chosen.value].filter(([place]) => !place.startsWith(`${pointer}/`)))

/** Omits a value, and forgets the branches chosen inside it. */
export function omitValue(form: FormState, path: Path): void {
  const chosen = chosenOutside(form, toPointer(path))
  chosen.delete(toPointer(path))
  form.chosen.value = chosen
  enterValue(form, path, undefined)
}

/** Replaces the whole value and forgets all chosen branches. */
export function replaceValue(form: FormState, value: Json): void {
  form.chosen.value = new Map()
  form.value.value = value
}

/** Chooses a branch for a field and resets its value. */
export function chooseAlternative(form: FormState, path: Path, choice: { index: number; begin: Json | undefined }): void {
  const pointer = toPointer(path)
  form.chosen.value = chosenOutside(form, pointer).set(pointer, choice.index)
  enterValue(form, path, choice.begin)
}

/** Appends to the current list, which may have more items than were shown at the time of the click. */
export function addItem(form: FormState, path: Path, item: (index: number) => Json): void {
  const now = valueAt(form.value.value, path)
  const list = Array.isArray(now) ? now : []
  enterValue(form, path, [...list, item(list.length)])
}

/** Replaces a list and forgets the branches chosen inside it, because indexes have changed. */
export function enterList(form: FormState, path: Path, next: readonly Json[]): void {
  form.chosen.value = chosenOutside(form, toPointer(path))
  enterValue(form, path, [...next])
}

export function touchField(form: FormState, path: Path): void {
  const pointer = toPointer(path)
  if (!form.touched.value.has(pointer)) form.touched.value = new Set([...form.touched.value, pointer])
}

/** The errors to show at a field: none before the user has visited it. */
export function messagesAt(form: FormState, path: Path): readonly string[] {
  const pointer = toPointer(path)
  const isTold = form.showAll.value || form.touched.value.has(pointer)
  return isTold ? (form.issues.value.get(pointer) ?? []) : []
}
