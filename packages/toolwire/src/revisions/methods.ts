import type { Words } from '../tools/checks/known-options.js'

/** The words of a text, such as the names in a list of them. */
export const words = <const Text extends string>(text: Text): readonly Words<Text>[] => text.split(' ') as Words<Text>[] // as its type says

/** Everything that some revision lets a client ask a server. One that is not here is in no revision. */
export type ServerMethod = Words<
  | 'initialize server/discover ping tools/list tools/call prompts/list prompts/get completion/complete logging/setLevel'
  | 'resources/list resources/templates/list resources/read resources/subscribe resources/unsubscribe subscriptions/listen'
  | 'tasks/get tasks/update tasks/result tasks/cancel tasks/list'
>
