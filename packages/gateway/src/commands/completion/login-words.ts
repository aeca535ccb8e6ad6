import { within } from '../../gateway/within.js'
import { apiOf } from '../api/api.js'
import { listIn, wordIn } from '../json.js'
import type { Input } from '../spec.js'

const patienceMs = 1_500

/** The servers that people log in to, if a gateway answers at once. */
export async function loginWords(input: Input): Promise<string[]> {
  const signal = within(input.signal, patienceMs)
  try {
    const logins = listIn(await apiOf({ ...input, signal }).ask('/logins'), 'logins')
    return logins.flatMap((one) => wordIn(one, 'server') ?? [])
  } catch {
    return [] // without a gateway there is nothing to complete
  }
}
