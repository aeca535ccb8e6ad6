// The keys of `_meta`, and which of them are not ours to use. spec 2026-07-28, basic/index#meta
import type { JsonObject } from '../../json.js'
import { definitionError } from './definition-error.js'
import { traceForms } from './trace-forms.js'

const label = '[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?'
const name = '(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?'
const keyForm = new RegExp(`^(?:(?<prefix>${label}(?:\\.${label})*)/)?${name}$`)
const keptLabels: ReadonlySet<string | undefined> = new Set(['mcp', 'modelcontextprotocol'])

/** Throws when a developer's `_meta` has a key of the wrong form, or one that the protocol keeps for itself. */
export function checkMetaKeys(meta: JsonObject | undefined): void {
  for (const [key, value] of Object.entries(meta ?? {})) {
    const labels = labelsOf(key)
    if (!labels)
      throw definitionError(`"${key}" is no key for _meta: use a prefix of your own and a name, such as com.example/trace`)
    if (isKept(labels)) throw definitionError(`The prefix of "${key}" in _meta is kept for the protocol: use one of your own`)
    const form = traceForms.get(key)
    if (form && !(typeof value === 'string' && form.test(value)))
      throw definitionError(`The value of "${key}" in _meta breaks W3C trace context`)
  }
}

/** The labels before the slash, none where there is no prefix; undefined when the key has not the form of one. */
function labelsOf(key: string): readonly string[] | undefined {
  const form = keyForm.exec(key)
  return form ? (form.groups?.prefix?.split('.') ?? []) : undefined
}

/** 2025-06-18 keeps prefixes with one label behind its own; the revisions after it, those whose second label is its own. */
const isKept = (labels: readonly string[]): boolean => keptLabels.has(labels.at(-2)) || keptLabels.has(labels[1])

/** spec 2026-07-28, basic/versioning#extension-negotiation: named like keys of `_meta`, but never without a prefix. */
export function checkExtension(id: string): void {
  if (!labelsOf(id)?.length) throw definitionError(`The extension "${id}" needs a prefix of your own, such as com.example/${id}`)
}
