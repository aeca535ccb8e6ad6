// The formats that form fields may have. JSON Schema treats formats as annotations; a form has to enforce them.
// spec 2026-07-28, client/elicitation#supported-schema-types
import { isObject, type Json, type JsonObject } from '../../json.js'

const isDate = (text: string): boolean => {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // Some days do not exist in every month, and would be read as days of the next.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

const isTime = (text: string): boolean =>
  /^\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i.test(text) && !Number.isNaN(Date.parse(`2000-01-01T${text.toUpperCase()}`))

const formats: ReadonlyMap<Json | undefined, (text: string) => boolean> = new Map([
  ['email', (text) => /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)*$/.test(text)],
  ['uri', (text) => /^[a-z][a-z\d+.-]*:\S*$/i.test(text) && URL.canParse(text)],
  ['date', isDate],
  ['date-time', (text) => isDate(text.slice(0, 10)) && /^t$/i.test(text.charAt(10)) && isTime(text.slice(11))],
])

/** Returns the fields whose text is not in their format. */
export function formatIssues(schema: JsonObject, content: unknown): { readonly path: string; readonly message: string }[] {
  if (!isObject(schema.properties) || !isObject(content)) return []
  return Object.entries(schema.properties).flatMap(([name, field]) => {
    const text = Object.hasOwn(content, name) ? content[name] : undefined
    if (!isObject(field) || typeof text !== 'string' || (formats.get(field.format)?.(text) ?? true)) return []
    return [{ path: `/${name}`, message: `must be of the format ${String(field.format)}` }]
  })
}
