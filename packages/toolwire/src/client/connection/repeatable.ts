// The requests that may be sent again if it is unknown whether the server received the first one.

/** Methods that are harmless to repeat. No unknown method is assumed to be one. */
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

export const isRepeatable = (method: string, { repeatable }: { readonly repeatable?: boolean } = {}): boolean =>
  repeatable ?? repeatableMethods.has(method)
