/** Does the work for each item, at most so many at once, and gives the results in order once all have settled. */
export async function settleConcurrently<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<PromiseSettledResult<R>[]> {
  const results: PromiseSettledResult<R>[] = []
  const waiting = items.entries()
  const worker = async () => {
    for (const [index, item] of waiting) [results[index]!] = await Promise.allSettled([work(item)])
  }
  await Promise.all(Array.from({ length: Math.min(Math.max(1, atOnce), items.length) }, worker))
  return results
}
