// Which requests may be sent again when nobody can say whether the first one was heard.

/** Asking these twice does no harm. What a method that we do not know does is not ours to guess. */
const repeatableMethods: ReadonlySet<string> = new Set([
  'initialize',
  'server/discover',
  'ping',
  'tools/list',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'completion/complete',
  'logging/setLevel',
  'tasks/list',
  'tasks/get',
  'tasks/result',
  'tasks/cancel',
])

/** The caller's own declaration, or else the default of the method. */
export const isRepeatable = (method: string, { repeatable }: { readonly repeatable?: boolean } = {}): boolean =>
  repeatable ?? repeatableMethods.has(method)
