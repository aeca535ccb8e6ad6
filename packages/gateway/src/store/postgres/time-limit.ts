import { StoreFailure } from '../store-failure.js'

/** What is said to one who has waited long enough. The work itself goes on. */
export async function withTimeLimit<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeUp = new Promise<never>((_, reject) => {
    const words = `PostgreSQL has not answered for ${ms / 1_000} s: what needs it is refused until it does`
    timer = setTimeout(() => reject(new StoreFailure(words, 'POSTGRES')), ms)
  })
  return Promise.race([work, timeUp]).finally(() => clearTimeout(timer))
}
