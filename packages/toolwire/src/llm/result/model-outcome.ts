/** The outcome of a call, in a form common to all providers. */
export type ModelOutcome = { readonly isError: boolean; readonly parts: readonly OutcomePart[] }
type TextPart = { readonly type: 'text'; readonly text: string }
/** Media in base64. */
type MediaPart = { readonly type: 'media'; readonly mediaType: string; readonly data: string }
export type OutcomePart = TextPart | MediaPart

export const textPart = (text: string): TextPart => ({ type: 'text', text })

/** An error in this side's own words, for a call without a result. */
export const failureOutcome = (text: string): ModelOutcome => ({ isError: true, parts: [textPart(text)] })

/** The whole outcome as text, for providers that take nothing else. */
export const outcomeText = ({ parts }: ModelOutcome): string =>
  parts.map((part) => (part.type === 'text' ? part.text : mediaNotice(part.mediaType))).join('\n')

export const mediaNotice = (mediaType: string): string => `[${mediaType} left out: it cannot be shown here]`
