/** The suite's data for a client besides the address: credentials and calls to make. */
export type Context = Readonly<Record<string, unknown>>
export type Setting = { readonly url: string; readonly context: Context }
/** Resolves when the client has done what the scenario checks; rejects if the library fails. */
export type Play = (setting: Setting) => Promise<void>

export function contextOf(text = '{}'): Context {
  const context: unknown = JSON.parse(text)
  return typeof context === 'object' && context !== null ? { ...context } : {}
}

export function textOf(context: Context, key: string): string {
  const value = context[key]
  if (typeof value !== 'string') throw new Error(`The suite has given no ${key}`)
  return value
}
