/** `1 call`, `2 calls`. */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`

const units = ['bytes', 'KiB', 'MiB', 'GiB'] as const

/** `340 bytes`, `1.5 MiB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_024) return countText(bytes, 'byte')
  const step = Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const number = bytes / 1_024 ** step
  return `${number < 10 ? number.toFixed(1) : Math.round(number)} ${units[step]}`
}
