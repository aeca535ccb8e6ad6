// https://ai.google.dev/gemini-api/docs/function-calling
import { isObject, type JsonObject } from '../../json.js'
import { lowerToGemini } from '../lower/lower-to-gemini.js'
import type { OfferedTool, Provider } from '../provider.js'
import { outcomeText } from '../result/model-outcome.js'

type GeminiFunction = { name: string; description: string; parameters?: JsonObject }
export type GeminiTools = { functionDeclarations: GeminiFunction[] }[]
type GeminiCall = { readonly id?: string; readonly name?: string; readonly args?: Readonly<Record<string, unknown>> }
type GeminiTurn = { readonly parts?: readonly { readonly functionCall?: GeminiCall }[] }
/** A whole response, or the content of one of its candidates. */
export type GeminiResponse = GeminiTurn | { readonly candidates?: readonly { readonly content?: GeminiTurn }[] }
type GeminiPart =
  | { functionResponse: { id?: string; name: string; response: { output: string } | { error: string } } }
  | { inlineData: { mimeType: string; data: string } }
export type GeminiContent = { role: 'user'; parts: GeminiPart[] }

export const gemini: Provider<GeminiTools, GeminiResponse, GeminiPart[], GeminiContent> = {
  lower: lowerToGemini,
  tools: (offered) => (offered.length === 0 ? [] : [{ functionDeclarations: offered.map(declaration) }]),
  callsIn: (response) =>
    (turnOf(response)?.parts ?? []).flatMap(({ functionCall }) =>
      functionCall ? [{ id: functionCall.id, alias: functionCall.name ?? '', args: functionCall.args }] : [],
    ),
  answer: ({ id, alias }, { isError, parts }) => {
    const text = outcomeText({ isError, parts: parts.filter(({ type }) => type === 'text') })
    const response = isError ? { error: text } : { output: text }
    // Media are sent beside the response, because only the newest models would see them inside it.
    const media = parts.flatMap((part) =>
      part.type === 'media' ? [{ inlineData: { mimeType: part.mediaType, data: part.data } }] : [],
    )
    return [{ functionResponse: { ...(id !== undefined && { id }), name: alias, response } }, ...media]
  },
  append: (answers) => (answers.length === 0 ? [] : [{ role: 'user', parts: answers.flat() }]),
  shows: (mediaType) => /^(image|audio)\//.test(mediaType) && mediaType !== 'image/svg+xml' && mediaType !== 'image/gif',
}

function declaration({ alias, description, lowered: { schema } }: OfferedTool): GeminiFunction {
  // An object without members is refused, so `parameters` is left out.
  return { name: alias, description, ...(isObject(schema.properties) && { parameters: schema }) }
}

const turnOf = (response: GeminiResponse): GeminiTurn | undefined =>
  'candidates' in response ? response.candidates?.[0]?.content : (response as GeminiTurn) // one of the two
