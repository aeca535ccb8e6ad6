/** `1 call`, `2 calls`. */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`

/** `840 bytes`, `4.1 KiB`. */
export function byteSizeText(bytes: number): string {
  if (bytes < 1_024) return countText(bytes, 'byte')
  return bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} KiB` : `${(bytes / 1_048_576).toFixed(1)} MiB`
}
