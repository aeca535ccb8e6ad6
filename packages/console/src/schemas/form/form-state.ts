// What is filled in. The value is the only truth: the form and the raw JSON are two ways to see it and to change it.
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { type Path, valueAt, withValueAt } from '../edit-value.js'
import { initialArguments } from '../initial-value.js'
import { type IssuesAt, issuesAt } from '../issues-at.js'
import { type Json, toPointer } from '../json.js'
import { type SchemaDocument, schemaDocumentOf } from '../schema-document.js'

export type FormState = {
  readonly document: SchemaDocument
  readonly value: Signal<Json>
  /** Which of several schemas somebody has chosen, by the pointer of the field. */
  readonly chosen: Signal<ReadonlyMap<string, number>>
  /** Fields that somebody has been in: what is wrong with others is told when the form is sent. */
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

/** As it was at first. */
export function resetForm(form: FormState): void {
  form.showAll.value = false
  form.touched.value = new Set()
  replaceValue(form, initialArguments(form.document))
}

/** Enters a value at a place; `undefined` leaves it out. */
export function enterValue(form: FormState, path: Path, next: Json | undefined): void {
  const changed = withValueAt(form.value.value, path, next)
  // The arguments as a whole are always there.
  form.value.value = changed === undefined ? {} : changed
}

/** Which schemas were chosen, but for those inside a place. */
const chosenOutside = ({ chosen }: FormState, pointer: string) =>
  new Map([...chosen.value].filter(([place]) => !place.startsWith(`${pointer}/`)))

/** Leaves a value out, with all that was chosen for it. */
export function omitValue(form: FormState, path: Path): void {
  const chosen = chosenOutside(form, toPointer(path))
  chosen.delete(toPointer(path))
  form.chosen.value = chosen
  enterValue(form, path, undefined)
}

/** Takes over a whole value, which says by itself which of several schemas it follows. */
export function replaceValue(form: FormState, value: Json): void {
  form.chosen.value = new Map()
  form.value.value = value
}

/** Chooses one of several schemas for a field, and begins it anew. */
export function chooseAlternative(form: FormState, path: Path, choice: { index: number; begin: Json | undefined }): void {
  const pointer = toPointer(path)
  form.chosen.value = chosenOutside(form, pointer).set(pointer, choice.index)
  enterValue(form, path, choice.begin)
}

/** Adds an item to a list as it is now, which may be more than was shown when somebody clicked. */
export function addItem(form: FormState, path: Path, item: (index: number) => Json): void {
  const now = valueAt(form.value.value, path)
  const list = Array.isArray(now) ? now : []
  enterValue(form, path, [...list, item(list.length)])
}

/** Items of a list have got other indexes: what was chosen inside it is not known any more. */
export function enterList(form: FormState, path: Path, next: readonly Json[]): void {
  form.chosen.value = chosenOutside(form, toPointer(path))
  enterValue(form, path, [...next])
}

export function touchField(form: FormState, path: Path): void {
  const pointer = toPointer(path)
  if (!form.touched.value.has(pointer)) form.touched.value = new Set([...form.touched.value, pointer])
}

/** What to say at a field: nothing before somebody has been there. */
export function messagesAt(form: FormState, path: Path): readonly string[] {
  const pointer = toPointer(path)
  const isTold = form.showAll.value || form.touched.value.has(pointer)
  return isTold ? (form.issues.value.get(pointer) ?? []) : []
}
