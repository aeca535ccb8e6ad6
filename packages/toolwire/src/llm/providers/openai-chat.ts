// https://platform.openai.com/docs/guides/function-calling?api-mode=chat
import type { JsonObject } from '../../json.js'
import { lowerToObject } from '../lower/lower-to-object.js'
import { lowerToStrict } from '../lower/lower-to-strict.js'
import type { Provider } from '../provider.js'
import { outcomeText } from '../result/model-outcome.js'

export type ChatTool = {
  type: 'function'
  function: { name: string; description: string; parameters: JsonObject; strict?: boolean }
}
type ChatCall = { readonly id: string; readonly function?: { readonly name: string; readonly arguments: string } }
type ChatTurn = { readonly tool_calls?: readonly ChatCall[] | null }
/** A completion, or a message of it. */
export type ChatResponse = ChatTurn | { readonly choices: readonly { readonly message: ChatTurn }[] }
export type ChatMessage = { role: 'tool'; tool_call_id: string; content: string }

export const openaiChat: Provider<ChatTool[], ChatResponse, ChatMessage, ChatMessage> = {
  lower: (plain, reportLoss, strict) => (strict ? lowerToStrict : lowerToObject)(plain, reportLoss),
  tools: (offered) =>
    offered.map(({ alias, description, lowered }) => ({
      type: 'function',
      function: { name: alias, description, parameters: lowered.schema, ...(lowered.strict && { strict: true }) },
    })),
  callsIn: (response) =>
    (turnOf(response)?.tool_calls ?? []).flatMap(({ id, function: called }) =>
      called ? [{ id, alias: called.name, args: called.arguments }] : [],
    ),
  answer: ({ id }, outcome) => ({ role: 'tool', tool_call_id: id ?? '', content: marked(outcome.isError, outcomeText(outcome)) }),
  append: (messages) => messages,
  // A tool message can carry text only.
  shows: () => false,
}

const turnOf = (response: ChatResponse): ChatTurn | undefined => ('choices' in response ? response.choices[0]?.message : response)

/** Marks a failure in the text, because these formats have no field for it. */
export const marked = (isError: boolean, text: string): string => (isError ? `Error: ${text}` : text)
