// The keys of `_meta`, and the ones reserved for the protocol. spec 2026-07-28, basic/index#meta
import type { JsonObject } from '../../json.js'
import { definitionError } from './definition-error.js'
import { traceForms } from './trace-forms.js'

const label = '[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?'
const name = '(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?'
const keyForm = new RegExp(`^(?:(?<prefix>${label}(?:\\.${label})*)/)?${name}$`)
const keptLabels: ReadonlySet<string | undefined> = new Set(['mcp', 'modelcontextprotocol'])

/** Throws if a developer's `_meta` has a malformed key, or one that is reserved for the protocol. */
export function checkMetaKeys(meta: JsonObject | undefined): void {
  for (const [key, value] of Object.entries(meta ?? {})) {
    const labels = labelsOf(key)
    if (!labels)
      throw definitionError(`"${key}" is not a valid key for _meta: use your own prefix and a name, such as com.example/trace`)
    if (isKept(labels)) throw definitionError(`The prefix of "${key}" in _meta is reserved for the protocol: use your own prefix`)
    const form = traceForms.get(key)
    if (form && !(typeof value === 'string' && form.test(value)))
      throw definitionError(`The value of "${key}" in _meta does not follow W3C Trace Context`)
  }
}

/** The labels before the slash, none without a prefix; undefined if the key is malformed. */
function labelsOf(key: string): readonly string[] | undefined {
  const form = keyForm.exec(key)
  return form ? (form.groups?.prefix?.split('.') ?? []) : undefined
}

/** 2025-06-18 reserves prefixes with one label after its own; later revisions reserve those whose second label is its own. */
const isKept = (labels: readonly string[]): boolean => keptLabels.has(labels.at(-2)) || keptLabels.has(labels[1])

/** spec 2026-07-28, basic/versioning#extension-negotiation: extension ids have the form of keys of `_meta`, always with a prefix. */
export function checkExtension(id: string): void {
  if (!labelsOf(id)?.length) throw definitionError(`The extension "${id}" needs a prefix of your own, such as com.example/${id}`)
}
