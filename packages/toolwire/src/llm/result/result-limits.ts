/** How much of one result is put before a model, in characters. */
export type ResultLimits = {
  text: number
  /** Of images and other media, in base64. */
  media: number
}
export const defaultResultLimits: ResultLimits = { text: 100_000, media: 5_000_000 }
