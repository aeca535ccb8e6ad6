/** Bisects whole numbers: `passes` passes the test and `fails` does not, as do all numbers before and after the one that is returned. */
export async function lastPassing(passes: number, fails: number, test: (number: number) => Promise<boolean>): Promise<number> {
  let [low, high] = [passes, fails]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (await test(middle)) low = middle
    else high = middle
  }
  return low
}
