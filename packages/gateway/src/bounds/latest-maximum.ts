/**
 * Returns a function that takes a number and returns the largest of the latest ones. Gateways that lose their database send no heartbeats,
 * so the first of them to find it again sees no others for a moment.
 */
export function latestMaximum(size: number): (next: number) => number {
  const latest: number[] = []
  return (next) => {
    latest.push(next)
    if (latest.length > size) latest.shift()
    return Math.max(...latest)
  }
}
