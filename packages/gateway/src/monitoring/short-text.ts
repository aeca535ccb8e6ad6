/** The beginning of a text that is kept. It is a copy, because a slice would keep the whole text in memory. */
export const shortText = (text: string, most: number): string =>
  text.length <= most ? text : `${Buffer.from(text.slice(0, most)).toString()}…`
