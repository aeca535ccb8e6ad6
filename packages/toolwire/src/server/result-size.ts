const encoder = new TextEncoder()

/** A character takes three bytes at most, so most texts need not be counted. */
export const exceedsBytes = (text: string, bytes: number): boolean =>
  text.length * 3 > bytes && (text.length > bytes || encoder.encode(text).length > bytes)

/** Many clients fail on a result that is too large, so the model gets this advice instead. */
export const tooLargeAdvice = (bytes: number): string =>
  `The result takes more than ${bytes} bytes (limits.resultBytes); ask for less, or for a link to a resource`
