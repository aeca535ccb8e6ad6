import type { Words } from '../tools/checks/known-options.js'

/** Splits a text into its words. */
export const words = <const Text extends string>(text: Text): readonly Words<Text>[] => text.split(' ') as Words<Text>[] // as its type says

/** The methods that a client may call on a server, in any revision. */
export type ServerMethod = Words<
  | 'initialize server/discover ping tools/list tools/call prompts/list prompts/get completion/complete logging/setLevel'
  | 'resources/list resources/templates/list resources/read resources/subscribe resources/unsubscribe subscriptions/listen'
  | 'tasks/get tasks/update tasks/result tasks/cancel tasks/list'
>
