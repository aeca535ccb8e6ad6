// What every play has in hand.

/** What the suite tells a client besides the address: credentials, calls to make. */
export type Context = Readonly<Record<string, unknown>>
export type Setting = { readonly url: string; readonly context: Context }
/** Ends when the client has done what the scenario wants to see; throws where the library has let it down. */
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
