/** What came of a call, in terms that every provider can be told. */
export type ModelOutcome = { readonly isError: boolean; readonly parts: readonly OutcomePart[] }
type TextPart = { readonly type: 'text'; readonly text: string }
/** Media in base64. */
type MediaPart = { readonly type: 'media'; readonly mediaType: string; readonly data: string }
export type OutcomePart = TextPart | MediaPart

export const textPart = (text: string): TextPart => ({ type: 'text', text })

/** What this side has to say to the model about a call that did not come to a result. */
export const failureOutcome = (text: string): ModelOutcome => ({ isError: true, parts: [textPart(text)] })

/** All of it as text, for providers that take nothing else. */
export const outcomeText = ({ parts }: ModelOutcome): string =>
  parts.map((part) => (part.type === 'text' ? part.text : mediaNotice(part.mediaType))).join('\n')

export const mediaNotice = (mediaType: string): string => `[${mediaType} left out: it cannot be shown here]`
